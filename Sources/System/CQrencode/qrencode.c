#include <late.h>
#include <shim.h>

// .ci/package uses this text to find the Debian package.
#define LIBRARY "libqrencode.so.4"
#define QRENCODE(result, name, parameters, arguments) LATE(LIBRARY, result, name, parameters, arguments)

int cqrencode_is_there(void) { return late_is_there(LIBRARY); }

QRENCODE(QRcode *, QRcode_encodeData,
         (int count, const unsigned char *bytes, int version, QRecLevel level), (count, bytes, version, level))
QRENCODE(void, QRcode_free, (QRcode * code), (code))
