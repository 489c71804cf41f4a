#pragma once

namespace media {

/// Gives up, for good, every right that reading photos does not need. Call it once, before any
/// input is read, while the process has one thread. Ends the process when a step fails: an unlocked
/// worker is worse than none.
void lockDown();

/// The steps of lockDown, in its order. Each returns false on failure.
bool limitResources();
/// Denies the file system, TCP, signals to others and abstract sockets by Landlock, without any
/// exception. On a kernel without Landlock the system call filter alone denies them.
bool denyFileSystem();
/// Allows only the system calls of SystemCalls.cpp.
bool filterSystemCalls();

/// CPU seconds until the kernel ends the process. A worker ends by itself after half of them, so
/// that each request has the other half.
constexpr unsigned long cpuSecondsLimit = 240;

}  // namespace media
