// The desktop's notifications by sd-bus, whose variadic functions and callbacks Swift cannot use directly.
// Source: https://specifications.freedesktop.org/notification-spec/latest/
#pragma once
#include <stdint.h>

/// A connection to the user's session bus. One thread at a time may use it.
typedef struct CDesktop CDesktop;

/// Called within cdesktop_process.
typedef struct {
  void *context;
  /// The service answered cdesktop_notify: with the notification's number, or with an error's name.
  void (*answered)(void *context, uint64_t cookie, uint32_t number, const char *error);
  void (*pressed)(void *context, uint32_t number);
  void (*closed)(void *context, uint32_t number);
} CDesktopHandlers;

// Each returns a negative errno where it fails.

/// Takes `name` on the bus; -EEXIST if another program has it.
int cdesktop_open(const char *name, CDesktopHandlers handlers, CDesktop **desktop);
void cdesktop_end(CDesktop *desktop);
/// Shows a notification with one button until it is answered or closed; `cookie` names the answer.
int cdesktop_notify(CDesktop *desktop, const char *title, const char *text, const char *button, uint64_t *cookie);
int cdesktop_close(CDesktop *desktop, uint32_t number);
/// Handles all messages that have arrived.
int cdesktop_process(CDesktop *desktop);
/// The descriptor that becomes readable when a message arrives.
int cdesktop_descriptor(CDesktop *desktop);
