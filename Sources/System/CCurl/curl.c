#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <stdarg.h>

#include <late.h>

#define CURL_LATE(result, name, parameters, arguments) LATE("libcurl.so.4", result, name, parameters, arguments)

// The value of every option and result is one word: a number, a size or a pointer.
_Static_assert(sizeof(curl_off_t) == sizeof(void *) && sizeof(long) == sizeof(void *), "every option must be one word");

CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
  static void *place;
  CURLcode (*function)(CURL *, CURLoption, ...) = late_found(&place, "libcurl.so.4", "curl_easy_setopt");
  va_list values;
  va_start(values, option);
  void *value = va_arg(values, void *);
  va_end(values);
  return function(handle, option, value);
}

CURLcode curl_easy_getinfo(CURL *handle, CURLINFO info, ...) {
  static void *place;
  CURLcode (*function)(CURL *, CURLINFO, ...) = late_found(&place, "libcurl.so.4", "curl_easy_getinfo");
  va_list values;
  va_start(values, info);
  void *value = va_arg(values, void *);
  va_end(values);
  return function(handle, info, value);
}

CURL_LATE(CURLcode, curl_global_init, (long flags), (flags))
CURL_LATE(char *, curl_version, (void), ())
CURL_LATE(time_t, curl_getdate, (const char *text, const time_t *unused), (text, unused))
CURL_LATE(void, curl_free, (void *bytes), (bytes))
CURL_LATE(CURL *, curl_easy_init, (void), ())
CURL_LATE(void, curl_easy_cleanup, (CURL * handle), (handle))
CURL_LATE(CURLcode, curl_easy_pause, (CURL * handle, int state), (handle, state))
CURL_LATE(const char *, curl_easy_strerror, (CURLcode code), (code))
CURL_LATE(CURLM *, curl_multi_init, (void), ())
CURL_LATE(CURLMcode, curl_multi_cleanup, (CURLM * multi), (multi))
CURL_LATE(CURLMcode, curl_multi_add_handle, (CURLM * multi, CURL *handle), (multi, handle))
CURL_LATE(CURLMcode, curl_multi_remove_handle, (CURLM * multi, CURL *handle), (multi, handle))
CURL_LATE(CURLMcode, curl_multi_perform, (CURLM * multi, int *running), (multi, running))
CURL_LATE(CURLMcode, curl_multi_poll,
          (CURLM * multi, struct curl_waitfd extra[], unsigned int count, int milliseconds, int *ready),
          (multi, extra, count, milliseconds, ready))
CURL_LATE(CURLMsg *, curl_multi_info_read, (CURLM * multi, int *left), (multi, left))
CURL_LATE(struct curl_slist *, curl_slist_append, (struct curl_slist * list, const char *text), (list, text))
CURL_LATE(void, curl_slist_free_all, (struct curl_slist * list), (list))
CURL_LATE(CURLU *, curl_url, (void), ())
CURL_LATE(void, curl_url_cleanup, (CURLU * address), (address))
#if LIBCURL_VERSION_NUM < 0x080000
typedef CURLU curl_read_url;
#else
typedef const CURLU curl_read_url;
#endif
CURL_LATE(CURLUcode, curl_url_get, (curl_read_url * address, CURLUPart part, char **text, unsigned int flags),
          (address, part, text, flags))
CURL_LATE(CURLUcode, curl_url_set, (CURLU * address, CURLUPart part, const char *text, unsigned int flags),
          (address, part, text, flags))
