#pragma once

namespace media {

/// Gives up, for good, everything that reading photos does not need. Called once, before any input is read, while the
/// process has one thread; ends the process when a step fails, since an unlocked worker is worse than none.
void lockDown();

/// The steps of lockDown, in its order. Each answers false on failure.
bool limitResources();
/// Denies the file system, TCP, signals to others and abstract sockets by Landlock, without any exception.
/// On a kernel without Landlock the system call filter alone denies them.
bool denyFileSystem();
/// Allows the system calls of SystemCalls.cpp and no others.
bool filterSystemCalls();

/// The CPU time that the process may use before the kernel ends it. After half of it a worker ends by itself, so that a
/// request always has the other half.
constexpr unsigned long cpuSecondsLimit = 240;

}  // namespace media
