// Squarified treemap (Bruls, Huizing, van Wijk 2000): rectangles of given areas, as square as they
// fit. Pure: from weights and a rectangle to rectangles.

/** Lay out items by `weight` in a rectangle; returns {item, x, y, width, height}, heaviest first. */
export function squarify(items, { x, y, width, height }) {
  const kept = items.filter((item) => item.weight > 0).sort((a, b) => b.weight - a.weight);
  const total = kept.reduce((sum, item) => sum + item.weight, 0);
  if (!total || width <= 0 || height <= 0) return [];
  const scale = (width * height) / total;
  const placed = [];
  let free = { x, y, width, height };
  let at = 0;
  while (at < kept.length) {
    const side = Math.min(free.width, free.height);
    let end = at + 1;
    let area = kept[at].weight * scale;
    while (end < kept.length) {
      const next = kept[end].weight * scale;
      if (worst(kept[at], kept[end], area + next, side, scale) > worst(kept[at], kept[end - 1], area, side, scale)) break;
      area += next;
      end += 1;
    }
    free = row(kept.slice(at, end), area, free, scale, placed);
    at = end;
  }
  return placed;
}

/** Return the worst ratio of sides in a row whose heaviest and lightest items are given. */
function worst(heaviest, lightest, area, side, scale) {
  const square = side * side;
  const whole = area * area;
  return Math.max((square * heaviest.weight * scale) / whole, whole / (square * lightest.weight * scale));
}

/** Place a row along the shorter side; return what is left. */
function row(items, area, free, scale, placed) {
  const upright = free.width >= free.height;
  const thickness = area / (upright ? free.height : free.width);
  let offset = 0;
  for (const item of items) {
    const length = (item.weight * scale) / thickness;
    placed.push(upright
      ? { item, x: free.x, y: free.y + offset, width: thickness, height: length }
      : { item, x: free.x + offset, y: free.y, width: length, height: thickness });
    offset += length;
  }
  return upright
    ? { x: free.x + thickness, y: free.y, width: free.width - thickness, height: free.height }
    : { x: free.x, y: free.y + thickness, width: free.width, height: free.height - thickness };
}

/** Return the item of `placed` that lies next in a direction from one of them; undefined at the edge. */
export function neighbour(placed, from, key) {
  const centre = (cell) => [cell.x + cell.width / 2, cell.y + cell.height / 2];
  const [fx, fy] = centre(from);
  const forward = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  let best;
  let least = Infinity;
  for (const cell of placed) {
    if (cell === from) continue;
    const [dx, dy] = [centre(cell)[0] - fx, centre(cell)[1] - fy];
    const along = dx * forward[0] + dy * forward[1];
    const aside = Math.abs(dx * forward[1]) + Math.abs(dy * forward[0]);
    if (along > 0.5 && along + 2 * aside < least) {
      least = along + 2 * aside;
      best = cell;
    }
  }
  return best;
}
