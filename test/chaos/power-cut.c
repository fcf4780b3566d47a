/*
 * Writes down, in order, what a process does in one folder, so that a test can work out what a power cut
 * leaves behind at any step. Preloaded; `POWER_CUT_FOLDER` and `POWER_CUT_LOG` are the folder and the path of the log. While
 * the folder has a file `full`, the disk has room for some writes only.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* power-cut.ts reads this, the name of the file (the folder itself has an empty one), then the bytes. */
struct record {
  uint32_t kind;
  uint32_t name;
  uint64_t offset;
  uint64_t bytes;
};

static const char *folder;
static size_t length;
static int journal = -1;

#define REAL(type, call) __typeof__(type) *real = (__typeof__(type) *)dlsym(RTLD_NEXT, #call)

__attribute__((constructor)) static void start(void) {
  const char *path = getenv("POWER_CUT_LOG");
  folder = getenv("POWER_CUT_FOLDER");
  if (!folder || !path) return;
  length = strlen(folder);
  REAL(open, open);
  journal = real(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (journal < 0) abort();
}

/* The name in the folder, empty for the folder itself, NULL for all that is elsewhere. */
static const char *name_of(const char *path) {
  if (journal < 0 || strncmp(path, folder, length) != 0) return NULL;
  if (path[length] == 0) return path + length;
  return path[length] == '/' ? path + length + 1 : NULL;
}

static const char *name_of_file(int file, char *path) {
  char link[32];
  if (journal < 0) return NULL;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t size = readlink(link, path, PATH_MAX - 1);
  if (size < 0) return NULL;
  path[size] = 0;
  return name_of(path);
}

static void note(char kind, const char *name, off_t offset, const void *bytes, size_t size) {
  int error = errno;
  struct record head = {kind, strlen(name), offset, size};
  struct iovec parts[] = {{&head, sizeof head}, {(void *)name, head.name}, {(void *)bytes, size}};
  /* A log with a hole would prove nothing. */
  if (writev(journal, parts, 3) != (ssize_t)(sizeof head + head.name + size)) abort();
  errno = error;
}

#define OPEN(call)                                                     \
  int call(const char *path, int flags, ...) {                         \
    REAL(open, call);                                                  \
    va_list rest;                                                      \
    va_start(rest, flags);                                             \
    mode_t mode = flags & O_CREAT ? va_arg(rest, mode_t) : 0;          \
    va_end(rest);                                                      \
    const char *name = name_of(path);                                  \
    int existed = name && access(path, F_OK) == 0;                     \
    int file = real(path, flags, mode);                                \
    if (file >= 0 && name && !existed) note('c', name, 0, NULL, 0);    \
    if (file >= 0 && existed && flags & O_TRUNC) note('t', name, 0, NULL, 0); \
    return file;                                                       \
  }

static int is_full(void) {
  static unsigned writes;
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s/full", folder);
  return access(path, F_OK) == 0 && ++writes % 8 == 0;
}

#define PWRITE(call)                                                       \
  ssize_t call(int file, const void *bytes, size_t size, off_t offset) {   \
    REAL(pwrite, call);                                                    \
    char path[PATH_MAX];                                                   \
    const char *name = name_of_file(file, path);                           \
    if (name && is_full()) {                                                \
      errno = ENOSPC;                                                      \
      return -1;                                                           \
    }                                                                      \
    ssize_t written = real(file, bytes, size, offset);                     \
    if (name && written > 0) note('w', name, offset, bytes, written);      \
    return written;                                                        \
  }

#define FTRUNCATE(call)                                          \
  int call(int file, off_t size) {                               \
    REAL(ftruncate, call);                                       \
    char path[PATH_MAX];                                         \
    const char *name = name_of_file(file, path);                 \
    int result = real(file, size);                               \
    if (name && result == 0) note('t', name, size, NULL, 0);     \
    return result;                                               \
  }

/* The real one is not needed: of this disk only what is written down here counts. */
#define SYNC(call)                                   \
  int call(int file) {                               \
    REAL(fsync, call);                               \
    char path[PATH_MAX];                             \
    const char *name = name_of_file(file, path);     \
    if (!name) return real(file);                    \
    note('s', name, 0, NULL, 0);                     \
    return 0;                                        \
  }

/* An entry of the folder that takes another name ('r'), gets one more ('l') or goes ('u'). */
#define ENTRY(call, kind)                                                     \
  int call(const char *from, const char *to) {                                \
    REAL(rename, call);                                                       \
    const char *name = name_of(from), *other = name_of(to);                   \
    int result = real(from, to);                                              \
    if (name && other && result == 0) note(kind, name, 0, other, strlen(other)); \
    return result;                                                            \
  }

OPEN(open)
OPEN(open64)
PWRITE(pwrite)
PWRITE(pwrite64)
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)
SYNC(fsync)
SYNC(fdatasync)
ENTRY(rename, 'r')
ENTRY(link, 'l')

ssize_t write(int file, const void *bytes, size_t size) {
  REAL(write, write);
  char path[PATH_MAX];
  const char *name = name_of_file(file, path);
  ssize_t written = real(file, bytes, size);
  if (name && written > 0) note('w', name, lseek(file, 0, SEEK_CUR) - written, bytes, written);
  return written;
}

int mkdir(const char *path, mode_t mode) {
  REAL(mkdir, mkdir);
  const char *name = name_of(path);
  int result = real(path, mode);
  if (name && *name && result == 0) note('d', name, 0, NULL, 0);
  return result;
}

int unlink(const char *path) {
  REAL(unlink, unlink);
  const char *name = name_of(path);
  int result = real(path);
  if (name && result == 0) note('u', name, 0, NULL, 0);
  return result;
}
