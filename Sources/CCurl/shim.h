#pragma once
#include <curl/curl.h>
#include <sys/socket.h>

// curl's setters and getters are variadic and its message holds a union: Swift needs one typed function for each kind.

static inline CURLcode portcullis_easy_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode portcullis_easy_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode portcullis_easy_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode portcullis_easy_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}

typedef size_t (*portcullis_receive)(char *bytes, size_t size, size_t count, void *context);
typedef curl_socket_t (*portcullis_open_socket)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
typedef int (*portcullis_before_request)(
    void *context, char *address, char *local_address, int port, int local_port);

static inline CURLcode portcullis_easy_set_body_receiver(CURL *easy, portcullis_receive receive) {
    return curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
}
static inline CURLcode portcullis_easy_set_field_receiver(CURL *easy, portcullis_receive receive) {
    return curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive);
}
static inline CURLcode portcullis_easy_set_socket_opener(CURL *easy, portcullis_open_socket open) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
}
static inline CURLcode portcullis_easy_set_before_request(CURL *easy, portcullis_before_request before) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, before);
}

static inline CURLcode portcullis_easy_get_long(CURL *easy, CURLINFO what, long *value) {
    return curl_easy_getinfo(easy, what, value);
}
static inline CURLcode portcullis_easy_get_offset(CURL *easy, CURLINFO what, curl_off_t *value) {
    return curl_easy_getinfo(easy, what, value);
}
static inline CURLcode portcullis_easy_get_text(CURL *easy, CURLINFO what, char **value) {
    return curl_easy_getinfo(easy, what, value);
}
static inline CURLcode portcullis_easy_get_pointer(CURL *easy, CURLINFO what, void **value) {
    return curl_easy_getinfo(easy, what, value);
}

typedef int (*portcullis_socket_changed)(CURL *easy, curl_socket_t socket, int what, void *context, void *socket_context);
typedef int (*portcullis_timer_changed)(CURLM *multi, long milliseconds, void *context);

static inline CURLMcode portcullis_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode portcullis_multi_set_pointer(CURLM *multi, CURLMoption option, void *value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode portcullis_multi_set_socket_changed(CURLM *multi, portcullis_socket_changed changed) {
    return curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, changed);
}
static inline CURLMcode portcullis_multi_set_timer_changed(CURLM *multi, portcullis_timer_changed changed) {
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, changed);
}

static inline CURLcode portcullis_message_result(const CURLMsg *message) { return message->data.result; }

static inline const struct sockaddr *portcullis_address(const struct curl_sockaddr *address) { return &address->addr; }
static inline int portcullis_open(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}
static inline long portcullis_global_all(void) { return CURL_GLOBAL_ALL; }
