#pragma once
#include <dbus/dbus.h>

// Type codes are cast macros, which Swift cannot import.
enum {
  cdbus_type_invalid = DBUS_TYPE_INVALID,
  cdbus_type_byte = DBUS_TYPE_BYTE,
  cdbus_type_boolean = DBUS_TYPE_BOOLEAN,
  cdbus_type_int16 = DBUS_TYPE_INT16,
  cdbus_type_uint16 = DBUS_TYPE_UINT16,
  cdbus_type_int32 = DBUS_TYPE_INT32,
  cdbus_type_uint32 = DBUS_TYPE_UINT32,
  cdbus_type_int64 = DBUS_TYPE_INT64,
  cdbus_type_uint64 = DBUS_TYPE_UINT64,
  cdbus_type_double = DBUS_TYPE_DOUBLE,
  cdbus_type_string = DBUS_TYPE_STRING,
  cdbus_type_object_path = DBUS_TYPE_OBJECT_PATH,
  cdbus_type_signature = DBUS_TYPE_SIGNATURE,
  cdbus_type_array = DBUS_TYPE_ARRAY,
  cdbus_type_variant = DBUS_TYPE_VARIANT,
  cdbus_type_struct = DBUS_TYPE_STRUCT,
  cdbus_type_dict_entry = DBUS_TYPE_DICT_ENTRY,
  cdbus_type_unix_fd = DBUS_TYPE_UNIX_FD,
};
