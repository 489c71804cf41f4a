// System calls that Swift's Glibc module lacks: epoll, eventfd, timerfd, accept4 and newer ones,
// one header per topic. Every function returns its result, or the negated errno. Swift could not
// read errno itself: reference counting between the call and the read may overwrite it.
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
#include "lockdown.h"
#include "access_list.h"
#endif
