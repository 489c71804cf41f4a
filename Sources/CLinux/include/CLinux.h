// What Swift's Glibc module lacks: epoll, eventfd, accept4 and newer system calls, one header per topic.
#ifndef CLINUX_H
#define CLINUX_H
#endif
