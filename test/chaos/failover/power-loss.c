/*
 * A disk for a simulated power cut, loaded into a process with LD_PRELOAD. Each fsync of a file in POWER_FOLDER copies
 * the file to POWER_DISK. So POWER_DISK has what a power cut leaves, if the system has written nothing by itself. A
 * removal of a file is on the disk after an fsync of the folder.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK 65536

static int failed(const char *what) {
  perror(what);
  abort();
}

/* The system may have written any part of a file before the fsync returns, so a kill in between is a power cut too. */
static void copy_file(int from, const char *to_path) {
  static char new_bytes[CHUNK], old_bytes[CHUNK]; /* Its caller has the lock. */
  int to = open(to_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (to < 0) failed(to_path);
  off_t at = 0;
  for (;;) {
    ssize_t new_length = pread(from, new_bytes, CHUNK, at);
    if (new_length < 0) failed("pread");
    if (new_length == 0) break;
    ssize_t old_length = pread(to, old_bytes, CHUNK, at);
    if (old_length != new_length || memcmp(new_bytes, old_bytes, new_length) != 0)
      if (pwrite(to, new_bytes, new_length, at) != new_length) failed("pwrite");
    at += new_length;
  }
  if (ftruncate(to, at) != 0) failed("ftruncate");
  close(to);
}

static void remove_missing(const char *folder, const char *disk) {
  DIR *files = opendir(disk);
  if (files == NULL) failed(disk);
  char path[PATH_MAX];
  for (struct dirent *file; (file = readdir(files)) != NULL;) {
    if (file->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
    if (access(path, F_OK) == 0) continue;
    snprintf(path, sizeof path, "%s/%s", disk, file->d_name);
    unlink(path);
  }
  closedir(files);
}

static int to_disk(int fd) {
  const char *folder = getenv("POWER_FOLDER"), *disk = getenv("POWER_DISK");
  char link_path[64], path[PATH_MAX], copy[PATH_MAX], lock_path[PATH_MAX];
  snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link_path, path, sizeof path - 1);
  if (folder == NULL || disk == NULL || length < 0) return syscall(SYS_fsync, fd);
  path[length] = 0;
  size_t prefix = strlen(folder);
  if (strncmp(path, folder, prefix) != 0) return syscall(SYS_fsync, fd);
  /* Another process may copy the same file: an older copy must not replace a newer one. */
  snprintf(lock_path, sizeof lock_path, "%s/.lock", disk);
  int lock = open(lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || flock(lock, LOCK_EX) != 0) failed(lock_path);
  if (path[prefix] == 0) {
    remove_missing(folder, disk);
  } else if (path[prefix] == '/' && strstr(path, " (deleted)") == NULL) {
    snprintf(copy, sizeof copy, "%s/%s", disk, path + prefix + 1);
    copy_file(fd, copy);
  }
  close(lock);
  return 0;
}

int fsync(int fd) { return to_disk(fd); }

int fdatasync(int fd) { return to_disk(fd); }
