internal import LinuxSystem

/// Runs the Python clients, which share one script.
///
/// With bleak, packets are unpacked with struct and written to a CSV file, as is common practice.
/// With dbus-fast, they are only received.
final class PythonClient: Sendable {
  private let folder: TemporaryFolder

  /// Writes the script. Throws if no Python with bleak is installed at this path.
  init(_ python: String) throws(MeasurementError) {
    guard (try? OwnedDescriptor.open(python, flags: OwnedDescriptor.readOnly)) != nil else {
      throw MeasurementError("\(python) was not found: run bash .ci/setup --tests")
    }
    do {
      folder = try TemporaryFolder(prefix: "footbridge-bench")
      let text = Array(Self.script.utf8)
      let file = try OwnedDescriptor.create(folder.path + "/client.py")
      guard file.write(text) == text.count else {
        throw MeasurementError("there is no space in \(folder.path)")
      }
    } catch {
      throw error as? MeasurementError ?? MeasurementError("\(error)")
    }
  }

  deinit {
    folder.remove()
  }

  /// The script's path and arguments.
  func arguments(kind: String, bus: String) -> [String] {
    [folder.path + "/client.py", bus, kind, folder.path + "/samples.csv"]
  }

  private static let script = """
    import asyncio
    import csv
    import os
    import struct
    import sys
    import time

    address, kind, path = sys.argv[1:4]
    os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = address

    NOTIFY = "326a9006-85cb-9195-d9dd-464cfbbae75a"


    # Counts packets of samples until a short packet ends it.
    class Counter:
        def __init__(self):
            self.packets = 0
            self.done = asyncio.Event()

        def is_sample(self, data):
            if len(data) == 20:
                self.packets += 1
                return True
            if len(data) == 1:
                self.done.set()
            return False

        async def wait(self):
            print("ready", flush=True)
            await self.done.wait()


    async def with_bleak():
        from bleak import BleakClient, BleakScanner

        counter = Counter()
        device = await BleakScanner.find_device_by_name("MetaWear", timeout=15)
        with open(path, "w", newline="") as file:
            writer = csv.writer(file)

            def take(_, data):
                if not counter.is_sample(data):
                    return
                now = time.time()
                values = struct.unpack_from("<9h", data, 2)
                for place in (0, 3, 6):
                    x, y, z = values[place : place + 3]
                    writer.writerow((now, x / 4096, y / 4096, z / 4096))

            async with BleakClient(device) as client:
                await client.start_notify(
                    NOTIFY, take, bluez={"use_start_notify": kind == "bleak-signals"}
                )
                await counter.wait()
                file.flush()
                print("done", counter.packets, flush=True)
                await asyncio.sleep(3600)


    async def with_dbus_fast():
        from dbus_fast import BusType, Message, MessageType
        from dbus_fast.aio import MessageBus

        counter = Counter()
        bus = await MessageBus(bus_type=BusType.SYSTEM).connect()

        async def call(path, interface, member, signature="", body=(), to="org.bluez"):
            reply = await bus.call(
                Message(destination=to, path=path, interface=interface, member=member,
                        signature=signature, body=list(body)))
            assert reply.message_type is not MessageType.ERROR, reply.body
            return reply.body

        async def find(interface, **wanted):
            for _ in range(300):
                objects = (await call(
                    "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))[0]
                for path, interfaces in objects.items():
                    values = interfaces.get(interface)
                    if values is not None and all(
                        name in values and values[name].value == value
                        for name, value in wanted.items()
                    ):
                        return path
                await asyncio.sleep(0.05)
            raise AssertionError("not found: " + interface)

        adapter = await find("org.bluez.Adapter1")
        await call(adapter, "org.bluez.Adapter1", "StartDiscovery")
        device = await find("org.bluez.Device1", Name="MetaWear")
        await call(adapter, "org.bluez.Adapter1", "StopDiscovery")
        await call(device, "org.bluez.Device1", "Connect")
        characteristic = "org.bluez.GattCharacteristic1"
        notify = await find(characteristic, UUID=NOTIFY)

        def take(message):
            if message.member == "PropertiesChanged" and message.path == notify:
                value = message.body[1].get("Value")
                if value is not None:
                    counter.is_sample(value.value)

        bus.add_message_handler(take)
        await call(
            "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", "s",
            ["type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',"
             "member='PropertiesChanged',path='" + notify + "'"], to="org.freedesktop.DBus")
        await call(notify, characteristic, "StartNotify")
        await counter.wait()
        print("done", counter.packets, flush=True)
        await asyncio.sleep(3600)


    asyncio.run(with_dbus_fast() if kind.startswith("dbus-fast") else with_bleak())

    """
}
