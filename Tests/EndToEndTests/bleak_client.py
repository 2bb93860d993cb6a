"""An independent client of the simulated daemon: bleak.

Scans, connects, reads the model number, subscribes, starts both motion sensors with raw
commands, and checks the samples. DBUS_SYSTEM_BUS_ADDRESS names the bus. The argument selects
the kind of notifications: "signals" (StartNotify) or "descriptor" (AcquireNotify).
"""

import asyncio
import struct
import sys

from bleak import BleakClient, BleakScanner

COMMAND = "326a9001-85cb-9195-d9dd-464cfbbae75a"
NOTIFY = "326a9006-85cb-9195-d9dd-464cfbbae75a"
MODEL = "00002a24-0000-1000-8000-00805f9b34fb"

SECONDS = 2.0


async def main() -> None:
    device = await BleakScanner.find_device_by_name("MetaWear", timeout=15)
    assert device, "no board was found"
    packets: list[bytes] = []
    async with BleakClient(device) as client:
        model = (await client.read_gatt_char(MODEL)).decode()
        assert model in ("5", "8"), model
        await client.start_notify(
            NOTIFY,
            lambda _, data: packets.append(bytes(data)),
            bluez={"use_start_notify": sys.argv[1] == "signals"},
        )

        async def send(text: str, response: bool = False) -> None:
            await client.write_gatt_char(COMMAND, bytes.fromhex(text), response=response)

        await send("0380", response=True)
        await send("1380", response=True)
        for _ in range(100):
            if len(packets) >= 2:
                break
            await asyncio.sleep(0.02)
        # The codes for 100 Hz and the register of the gyroscope differ between chips.
        is_bmi270 = packets[0][2] == 4
        gyroscope = "04" if is_bmi270 else "05"
        await send("0303a802" if is_bmi270 else "03032808")
        await send("13032800")
        clock = asyncio.get_running_loop().time
        first = clock()
        for start in ("030401", f"13{gyroscope}01", "03020100", "13020100", "030101"):
            await send(start)
        await send("130101", response=True)
        started = clock()
        await asyncio.sleep(SECONDS)
        stopping = clock()
        await send("030100")
        await send("130100", response=True)
        stopped = clock()
        await client.stop_notify(NOTIFY)

    for name, header, scale in (
        ("acceleration", "0304", 4096.0),
        ("angular velocity", "13" + gyroscope, 16.4),
    ):
        samples = [
            [count / scale for count in struct.unpack_from("<hhh", packet, 2)]
            for packet in packets
            if packet[:2].hex() == header
        ]
        # The sensors run only between the two commands.
        least, most = 80 * (stopping - started), 120 * (stopped - first)
        assert least < len(samples) < most, f"{name}: {len(samples)}"
        assert len({tuple(sample) for sample in samples}) > 20, f"{name} does not move"
        if name == "acceleration":
            mean = sum(sum(a * a for a in s) ** 0.5 for s in samples) / len(samples)
            assert 0.7 < mean < 2.0, f"gravity reads {mean} g"
        print(f"{name}: {len(samples)} samples")


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
