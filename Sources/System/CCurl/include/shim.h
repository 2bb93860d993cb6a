#pragma once
#include <curl/curl.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

// Wrappers for code that Swift cannot call: variadic functions, with one wrapper per argument type, and access to a
// union.
static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_size(CURL *handle, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return curl_easy_setopt(handle, option, value);
}
static inline CURLcode ccurl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
  return curl_easy_setopt(handle, option, value);
}
// Read, write and header callbacks have the same signature.
typedef size_t (*ccurl_bytes_callback)(char *bytes, size_t size, size_t count, void *context);
static inline CURLcode ccurl_set_bytes_callback(
    CURL *handle, CURLoption option, ccurl_bytes_callback callback) {
  return curl_easy_setopt(handle, option, callback);
}
static inline CURLcode ccurl_set_seek_callback(CURL *handle, curl_seek_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}
static inline CURLcode ccurl_set_start_callback(CURL *handle, curl_prereq_callback callback) {
  return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}
// Returns a number that curl reports about a handle, or 0 if curl does not report it.
static inline long ccurl_number(CURL *handle, CURLINFO info) {
  long value = 0;
  return curl_easy_getinfo(handle, info, &value) == CURLE_OK ? value : 0;
}
// Returns the number of bytes sent but not yet acknowledged by the peer, or -1 if there is no connection.
static inline int ccurl_unacknowledged(CURL *handle) {
  curl_socket_t socket = CURL_SOCKET_BAD;
  int count = -1;
  if (curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &socket) != CURLE_OK ||
      socket == CURL_SOCKET_BAD || ioctl(socket, SIOCOUTQ, &count) != 0)
    return -1;
  return count;
}
// Returns the next handle whose transfer has ended, and its result code, or NULL if no other transfer has ended.
static inline CURL *ccurl_next_ended(CURLM *multi, CURLcode *outcome) {
  int left = 0;
  for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
    if (message->msg == CURLMSG_DONE) {
      *outcome = message->data.result;
      return message->easy_handle;
    }
  }
  return NULL;
}
// Waits until a connection or the additional descriptor is ready, or until the timeout expires.
static inline CURLMcode ccurl_wait(CURLM *multi, int descriptor, int milliseconds) {
  struct curl_waitfd extra = {.fd = descriptor, .events = CURL_WAIT_POLLIN};
  return curl_multi_poll(multi, &extra, 1, milliseconds, NULL);
}
