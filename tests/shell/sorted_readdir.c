/* Preloaded into the GNU tools of the tests, so that they see directories in order of names. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

struct listing {
    DIR *directory;
    struct dirent *entries;
    size_t count, next;
    struct listing *following;
};

static struct listing *open_listings;

static int by_name(const void *left, const void *right)
{
    return strcmp(((const struct dirent *)left)->d_name, ((const struct dirent *)right)->d_name);
}

static struct listing *listing_of(DIR *directory)
{
    for (struct listing *known = open_listings; known; known = known->following)
        if (known->directory == directory)
            return known;
    struct dirent *(*real)(DIR *) = dlsym(RTLD_NEXT, "readdir");
    struct listing *made = calloc(1, sizeof *made);
    struct dirent *entry;
    made->directory = directory;
    while ((entry = real(directory))) {
        made->entries = realloc(made->entries, (made->count + 1) * sizeof *entry);
        made->entries[made->count++] = *entry;
    }
    if (made->count)
        qsort(made->entries, made->count, sizeof *made->entries, by_name);
    made->following = open_listings;
    open_listings = made;
    return made;
}

struct dirent *readdir(DIR *directory)
{
    struct listing *listing = listing_of(directory);
    return listing->next < listing->count ? &listing->entries[listing->next++] : NULL;
}

struct dirent64 *readdir64(DIR *directory)
{
    return (struct dirent64 *)readdir(directory);
}

int closedir(DIR *directory)
{
    int (*real)(DIR *) = dlsym(RTLD_NEXT, "closedir");
    for (struct listing **place = &open_listings; *place; place = &(*place)->following)
        if ((*place)->directory == directory) {
            struct listing *gone = *place;
            *place = gone->following;
            free(gone->entries);
            free(gone);
            break;
        }
    return real(directory);
}
