// Everything that the page asks the server: who am I, and a panel's data. A token, where the server
// wants one, lives in this tab alone.

const KEY = "tadoru-token";

export class PanelError extends Error {
  constructor(status, code, message, hint) {
    super(message);
    Object.assign(this, { status, code, hint });
  }
}

export const hasToken = () => Boolean(sessionStorage.getItem(KEY));

export function keepToken(token) {
  if (token) sessionStorage.setItem(KEY, token);
  else sessionStorage.removeItem(KEY);
}

/** Return the address of a panel's data. */
export function address(panel, parameters) {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(([, value]) => value !== "" && value !== undefined));
  const text = query.toString();
  return `api/panels/${encodeURIComponent(panel)}${text ? `?${text}` : ""}`;
}

/** Return who asks: {name, groups, operator, mounts}. */
export const me = (signal) => get("api/me", signal);

/** Return a panel's data. */
export const ask = (panel, parameters, signal) => get(address(panel, parameters), signal);

export async function get(url, signal) {
  const token = sessionStorage.getItem(KEY);
  const headers = { Accept: "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) };
  let response;
  try {
    response = await fetch(url, { headers, signal, credentials: "same-origin", cache: "no-store" });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new PanelError(0, "offline", "The server does not answer.", "Is `tadoru serve` running?");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  const told = body?.error ?? body ?? {};
  const message = told.message ?? told.error_description ?? `The server answered ${response.status}.`;
  throw new PanelError(response.status, String(told.code ?? ""), String(message), String(told.hint ?? ""));
}
