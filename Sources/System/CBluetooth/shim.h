#pragma once
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <errno.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

// Declarations that Swift cannot import: enum macros, and a structure that ends in an array.
enum {
  cbluetooth_socket_type = SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK,
  cbluetooth_le_link = 0x80,
  cbluetooth_most_links = 64,
};
static inline int cbluetooth_open(void) {
  return socket(AF_BLUETOOTH, cbluetooth_socket_type, BTPROTO_HCI);
}
static inline int cbluetooth_bind_to_management(int descriptor) {
  struct sockaddr_hci address = {AF_BLUETOOTH, HCI_DEV_NONE, HCI_CHANNEL_CONTROL};
  return bind(descriptor, (struct sockaddr *)&address, sizeof address);
}

// Returns the handle of the LE link between an adapter and the device at an address, or minus errno on failure.
static inline int cbluetooth_link_handle(int descriptor, int adapter, const bdaddr_t *address) {
  char bytes[sizeof(struct hci_conn_list_req) + cbluetooth_most_links * sizeof(struct hci_conn_info)]
      __attribute__((aligned(8)));
  struct hci_conn_list_req *list = (struct hci_conn_list_req *)bytes;
  list->dev_id = (uint16_t)adapter;
  list->conn_num = cbluetooth_most_links;
  if (ioctl(descriptor, HCIGETCONNLIST, list) < 0) return -errno;
  for (int index = 0; index < list->conn_num; index++) {
    struct hci_conn_info *link = &list->conn_info[index];
    if (link->type == cbluetooth_le_link && bacmp(&link->bdaddr, address) == 0) return link->handle;
  }
  return -ENOTCONN;
}
