// What Swift's Glibc module lacks: epoll, eventfd, timerfd, accept4 and newer system calls, one header per topic.
// Every function returns its result, or the negated errno: errno itself can be overwritten by the
// reference counting that Swift puts between a call and the line that would read it.
#ifndef CLINUX_H
#define CLINUX_H
#include "epoll.h"
#include "eventfd.h"
#include "timerfd.h"
#include "sockets.h"
#include "signals.h"
#include "pidfd.h"
#include "descriptors.h"
#include "process_control.h"
#include "remove_tree.h"
#include "birth_time.h"
#include "delivery.h"
#include "process.h"
#include "confine.h"
#include "access_list.h"
#endif
