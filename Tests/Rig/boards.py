#!/usr/bin/env python3
"""Attaches simulated boards to the simulated radio.

    boards.py --hci SOCKET --control SOCKET -- footbridge simulate --packets [OPTION]...

The command, which this script starts, simulates the boards. Its output reports attributes,
advertisements and notifications; its input receives the actions of a central (`PacketLine` in the
sources). This script only adds the GATT servers.

The client of --hci, which is the VM, gets a Bluetooth adapter. Each line on --control gets one line
as a reply:

    drop [N]   board N ends its link, as in a fault; without a number, every board does
    off [N]    board N goes out of range: its link breaks, and scans do not find it
    on [N]     board N comes back into range
    unplug     the adapter is unplugged: its links break, which only the boards notice
    sent       returns the counts of each board, as JSON
"""
import argparse
import asyncio
import json
import logging
import os

from bumble import hci
from bumble.core import UUID, AdvertisingData
from bumble.device import Device, DeviceConfiguration
from bumble.gatt import Characteristic, CharacteristicValue, Service
from bumble.host import Host
from bumble.pairing import PairingConfig, PairingDelegate
from bumble.transport.common import AsyncPipeSink

from radio import Adapter, Air, Chip, SerialLine

ADAPTER_ADDRESS = "00:1B:DC:00:00:01"
FLAGS = {
    "read": Characteristic.Properties.READ,
    "write": Characteristic.Properties.WRITE,
    "write-without-response": Characteristic.Properties.WRITE_WITHOUT_RESPONSE,
    "notify": Characteristic.Properties.NOTIFY,
}


class Simulation:
    """The command that runs the simulated boards."""

    async def start(self, command):
        self.process = await asyncio.create_subprocess_exec(
            *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE)
        self.counts = asyncio.Queue()
        return (await self.next())["boards"]

    async def next(self):
        line = await self.process.stdout.readline()
        if not line:
            raise SystemExit("boards: the simulation ended")
        return json.loads(line)

    def tell(self, *words):
        self.process.stdin.write((" ".join(map(str, words)) + "\n").encode())

    async def counted(self):
        self.tell("counts")
        return await self.counts.get()

    async def follow(self, boards):
        """Forward the events of the boards in order, so that notifications stay in order."""
        while True:
            event = await self.next()
            if "counts" in event:
                self.counts.put_nowait(event["counts"])
            elif "error" in event:
                print("boards:", event["error"], flush=True)
            else:
                await boards[event["board"]].on_event(event)


class Board:
    """The GATT server and the radio of one board."""

    def __init__(self, air, number, description, simulation):
        self.number, self.simulation = number, simulation
        self.connection, self.battery = None, 0
        self.advertisement, self.is_near = None, True
        self.changing = asyncio.Lock()
        # The boards have static random addresses.
        self.address = hci.Address(
            description["address"], hci.Address.RANDOM_DEVICE_ADDRESS)
        self.chip = Chip(f"board {number}", link=air)
        self.device = Device(
            config=DeviceConfiguration(
                name="MetaWear", address=self.address,
                advertising_interval_min=60, advertising_interval_max=60),
            host=Host(self.chip, AsyncPipeSink(self.chip)))
        # Pairing needs no confirmation, since a board has no way to ask for it.
        self.device.pairing_config_factory = lambda _connection: PairingConfig(
            sc=True, mitm=False, bonding=True, delegate=PairingDelegate(
                PairingDelegate.IoCapability.NO_OUTPUT_NO_INPUT))
        # As on real boards, no packet is longer than 20 bytes.
        self.device.gatt_server.max_mtu = 23
        self.device.on("connection", self.on_connection)
        self.device.add_services([
            Service(service["uuid"], [
                self.characteristic(entry) for entry in service["characteristics"]])
            for service in description["services"]])

    def characteristic(self, entry):
        properties = Characteristic.Properties(0)
        for flag in entry["flags"]:
            properties |= FLAGS[flag]
        permissions = Characteristic.READABLE | Characteristic.WRITEABLE
        role = entry.get("role")
        if role == "battery":
            value = CharacteristicValue(read=lambda _connection: bytes([self.battery]))
        elif role == "command":
            value = CharacteristicValue(write=lambda _connection, data: self.tell("write", data.hex()))
        else:
            value = entry.get("text", "").encode()
        made = Characteristic(entry["uuid"], properties, permissions, value)
        if role == "notify":
            self.notifying = made
            made.on("subscription", lambda _connection, isOn, _indicates:
                    self.tell("listen", "on" if isOn else "off"))
        return made

    def tell(self, word, *arguments):
        self.simulation.tell(word, self.number, *arguments)

    def say(self, text):
        print(f"{self.address}: {text}", flush=True)

    async def on_event(self, event):
        if "notification" in event:
            if self.connection:
                await self.device.notify_subscriber(
                    self.connection, self.notifying, bytes.fromhex(event["notification"]))
        elif "advertising" in event:
            self.advertisement = event["advertising"]
            await self.advertise()
        elif "battery" in event:
            self.battery = event["battery"]
        elif event.get("link") == "ended" and (connection := self.connection):
            # Clear the connection first: a link that the simulation ended must not be reported back
            # to it.
            self.connection = None
            self.say("ends its link")
            asyncio.ensure_future(connection.disconnect())

    async def advertise(self):
        """Switch the radio to the most recently requested state."""
        async with self.changing:
            if self.device.legacy_advertiser:
                await self.device.stop_advertising()
            told = self.advertisement
            if not told or not self.is_near:
                return
            await self.device.start_advertising(
                advertising_data=bytes(AdvertisingData([
                    (AdvertisingData.FLAGS, b"\x06"),
                    (AdvertisingData.COMPLETE_LIST_OF_128_BIT_SERVICE_CLASS_UUIDS,
                     bytes(UUID(told["service"]))),
                    (AdvertisingData.COMPLETE_LOCAL_NAME, told["name"].encode())])),
                scan_response_data=bytes.fromhex(told["scanResponse"]))

    def on_connection(self, connection):
        self.connection = connection
        self.say("connected")
        self.tell("connect")

        def gone(reason):
            self.say(f"disconnected, reason {reason:#x}")
            if self.connection is connection:
                self.connection = None
                self.tell("disconnect")
        connection.on("disconnection", gone)

    async def go(self, adapter):
        """Go out of range."""
        self.is_near = False
        adapter.lose(self.address)
        for central in list(self.chip.le_connections):
            self.chip.lose(central)
        await self.advertise()

    async def come(self):
        self.is_near = True
        await self.advertise()


class Control:
    """The connection over which a test requests faults."""

    def __init__(self, boards, adapter, simulation):
        self.boards, self.adapter, self.simulation = boards, adapter, simulation

    async def serve(self, reader, writer):
        while line := await reader.readline():
            words = line.decode(errors="replace").split()
            try:
                answer = await self.obey(*words)
            except (IndexError, TypeError, ValueError):
                answer = f"cannot process '{' '.join(words)}'"
            if words != ["sent"]:
                print(f"control: {' '.join(words)} -> {answer}", flush=True)
            writer.write(answer.encode() + b"\n")

    async def obey(self, word, number=None):
        if word == "sent":
            return json.dumps({"boards": await self.simulation.counted()})
        if word == "unplug":
            self.adapter.forget_links()
            return "ok"
        for board in self.boards if number is None else [self.boards[int(number)]]:
            if word == "drop":
                board.tell("drop")
            elif word == "off":
                await board.go(self.adapter)
            elif word == "on":
                await board.come()
            else:
                raise ValueError(word)
        return "ok"


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hci", required=True)
    parser.add_argument("--control", required=True)
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    logging.basicConfig(level=os.environ.get("BUMBLE_LOGLEVEL", "WARNING"))

    air = Air()
    adapter = Adapter("adapter", link=air, public_address=ADAPTER_ADDRESS)
    simulation = Simulation()
    boards = [
        Board(air, number, description, simulation)
        for number, description in enumerate(await simulation.start(options.command))]
    for board in boards:
        await board.device.power_on()
    loop = asyncio.get_running_loop()
    await asyncio.start_unix_server(Control(boards, adapter, simulation).serve, options.control)
    await loop.create_unix_server(lambda: SerialLine(adapter), options.hci)
    print("ready", flush=True)
    await simulation.follow(boards)


if __name__ == "__main__":
    asyncio.run(main())
