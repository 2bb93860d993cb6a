extension UdevRules {
  /// The udev rules of this release, by file name. Users may add their own rules, so an installed
  /// file is compared rule by rule. A test compares these rules with the files in `udev`.
  static let rules: [String: [String]] = [
    "60-footbridge-gps.rules": [
      #"ACTION!="remove", SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="1546", "#
        + #"ATTR{idProduct}=="01a[56789]", GROUP="dialout", MODE="0664""#,
      #"ACTION!="remove", SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="067b", "#
        + #"ATTR{idProduct}=="2303|23a3|23b3|23c3", GROUP="dialout", MODE="0664""#,
      #"ACTION!="remove", SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="0403", "#
        + #"ATTR{idProduct}=="6001|6010|6011|6014|6015", GROUP="dialout", MODE="0664""#,
      #"ACTION!="remove", SUBSYSTEM=="usb", ENV{DEVTYPE}=="usb_device", ATTR{idVendor}=="10c4", "#
        + #"ATTR{idProduct}=="ea60|ea70", GROUP="dialout", MODE="0664""#,
      #"SUBSYSTEM!="tty", GOTO="footbridge_gps_end""#,
      #"ACTION=="remove", GOTO="footbridge_gps_end""#,
      #"ATTRS{idVendor}=="1546", ATTRS{idProduct}=="01a[56789]", SYMLINK+="gps%n gps0", "#
        + #"GROUP="dialout", MODE="0660", ENV{ID_MM_DEVICE_IGNORE}="1", TAG+="systemd", "#
        + #"ENV{FOOTBRIDGE_GPS}="receiver""#,
      #"ATTRS{idVendor}=="067b", ATTRS{idProduct}=="2303|23a3|23b3|23c3", "#
        + #"SYMLINK+="gps-candidate-%n", GROUP="dialout", MODE="0660", "#
        + #"ENV{ID_MM_DEVICE_IGNORE}="1", TAG+="systemd""#,
      #"ATTRS{idVendor}=="0403", ATTRS{idProduct}=="6001|6010|6011|6014|6015", "#
        + #"SYMLINK+="gps-candidate-%n", GROUP="dialout", MODE="0660", "#
        + #"ENV{ID_MM_DEVICE_IGNORE}="1", TAG+="systemd""#,
      #"ATTRS{idVendor}=="10c4", ATTRS{idProduct}=="ea60|ea70", SYMLINK+="gps-candidate-%n", "#
        + #"GROUP="dialout", MODE="0660", ENV{ID_MM_DEVICE_IGNORE}="1", TAG+="systemd""#,
      #"KERNEL=="ttyAMA[0-9]*", GROUP="dialout", MODE="0660", ENV{ID_MM_DEVICE_IGNORE}="1""#,
      #"KERNEL=="ttyS[0-9]*", DRIVERS=="bcm2835-aux-uart", GROUP="dialout", MODE="0660", "#
        + #"ENV{ID_MM_DEVICE_IGNORE}="1""#,
      #"ENV{FOOTBRIDGE_GPS}!="receiver", GOTO="footbridge_gps_end""#,
      #"KERNEL=="*0", OPTIONS+="link_priority=4""#,
      #"KERNEL=="*1", OPTIONS+="link_priority=3""#,
      #"KERNEL=="*2", OPTIONS+="link_priority=2""#,
      #"KERNEL=="*3", OPTIONS+="link_priority=1""#,
      #"LABEL="footbridge_gps_end""#,
    ],
    "61-footbridge-bluetooth.rules": [
      #"SUBSYSTEM!="usb", GOTO="footbridge_bluetooth_end""#,
      #"ACTION!="add|change|bind", GOTO="footbridge_bluetooth_end""#,
      #"ENV{DEVTYPE}=="usb_device", ATTR{bDeviceClass}=="e0", ATTR{bDeviceSubClass}=="01", "#
        + #"ATTR{bDeviceProtocol}=="01", TEST=="power/control", ATTR{power/control}="on""#,
      #"ENV{DEVTYPE}=="usb_interface", ATTR{bInterfaceClass}=="e0", "#
        + #"ATTR{bInterfaceSubClass}=="01", ATTR{bInterfaceProtocol}=="01", "#
        + #"TEST=="../power/control", ATTR{../power/control}="on""#,
      #"ENV{DEVTYPE}=="usb_device", ATTR{bDeviceClass}=="e0", ATTR{bDeviceSubClass}=="01", "#
        + #"ATTR{bDeviceProtocol}=="01", GROUP="bluetooth", MODE="0664""#,
      #"ENV{DEVTYPE}=="usb_device", ENV{ID_USB_INTERFACES}=="*:e00101:*", GROUP="bluetooth", "#
        + #"MODE="0664""#,
      #"LABEL="footbridge_bluetooth_end""#,
    ],
  ]
}
