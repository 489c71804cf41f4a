#include "cdesktop.h"

#include <errno.h>
#include <stdlib.h>
#include <systemd/sd-bus.h>

static const char service[] = "org.freedesktop.Notifications", path[] = "/org/freedesktop/Notifications";

struct CDesktop {
  sd_bus* bus;
  CDesktopHandlers handlers;
};

static int answered(sd_bus_message* reply, void* context, sd_bus_error* error) {
  CDesktop* desktop = context;
  uint64_t cookie = 0;
  uint32_t number = 0;
  (void)error;
  if (sd_bus_message_get_reply_cookie(reply, &cookie) < 0) return 0;
  const sd_bus_error* refusal = sd_bus_message_get_error(reply);
  if (!refusal && sd_bus_message_read(reply, "u", &number) < 0) return 0;
  desktop->handlers.answered(desktop->handlers.context, cookie, number, refusal ? refusal->name : NULL);
  return 0;
}

static int pressed(sd_bus_message* signal, void* context, sd_bus_error* error) {
  CDesktop* desktop = context;
  uint32_t number;
  (void)error;
  if (sd_bus_message_read(signal, "u", &number) > 0) desktop->handlers.pressed(desktop->handlers.context, number);
  return 0;
}

static int closed(sd_bus_message* signal, void* context, sd_bus_error* error) {
  CDesktop* desktop = context;
  uint32_t number;
  (void)error;
  if (sd_bus_message_read(signal, "u", &number) > 0) desktop->handlers.closed(desktop->handlers.context, number);
  return 0;
}

int cdesktop_open(const char* name, CDesktopHandlers handlers, CDesktop** into) {
  CDesktop* desktop = calloc(1, sizeof *desktop);
  if (!desktop) return -ENOMEM;
  desktop->handlers = handlers;
  int result = sd_bus_open_user(&desktop->bus);
  if (result >= 0) result = sd_bus_request_name(desktop->bus, name, 0);
  if (result >= 0)
    result = sd_bus_match_signal(desktop->bus, NULL, service, path, service, "ActionInvoked", pressed, desktop);
  if (result >= 0)
    result = sd_bus_match_signal(desktop->bus, NULL, service, path, service, "NotificationClosed", closed, desktop);
  if (result < 0) {
    cdesktop_end(desktop);
    return result;
  }
  *into = desktop;
  return 0;
}

void cdesktop_end(CDesktop* desktop) {
  sd_bus_flush_close_unref(desktop->bus);
  free(desktop);
}

int cdesktop_notify(CDesktop* desktop, const char* title, const char* text, const char* button, uint64_t* cookie) {
  sd_bus_message* call = NULL;
  int result = sd_bus_message_new_method_call(desktop->bus, &call, service, path, service, "Notify");
  // The last 0: it stays until it is answered. A slow desktop may answer late, so the call never times out.
  if (result >= 0) {
    result = sd_bus_message_append(call, "susssasa{sv}i", "PhotoBroker", 0, "image-x-generic", title, text, 4,
                                   "default", button, "decide", button, 0, 0);
  }
  if (result >= 0) result = sd_bus_call_async(desktop->bus, NULL, call, answered, desktop, UINT64_MAX);
  if (result >= 0) result = sd_bus_message_get_cookie(call, cookie);
  if (result >= 0) result = sd_bus_flush(desktop->bus);
  sd_bus_message_unref(call);
  return result;
}

int cdesktop_close(CDesktop* desktop, uint32_t number) {
  int result = sd_bus_call_method_async(desktop->bus, NULL, service, path, service, "CloseNotification", NULL, NULL,
                                        "u", number);
  return result < 0 ? result : sd_bus_flush(desktop->bus);
}

int cdesktop_process(CDesktop* desktop) {
  int result;
  while ((result = sd_bus_process(desktop->bus, NULL)) > 0) {
  }
  return result;
}

int cdesktop_descriptor(CDesktop* desktop) { return sd_bus_get_fd(desktop->bus); }
