"""The simulated radio medium, and the Bluetooth adapter on it that the VM uses as its own.

bumble provides controllers and a link between them. This module adds features that bumble lacks
when the other end is a kernel instead of another bumble: scan responses, cancelled attempts,
resets, and boards that go out of range.
"""
import asyncio
import sys

from bumble import hci
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport.common import PacketParser


class Air(LocalLink):
    """The medium between the controllers."""

    def send_acl_data(self, sender, destination, transport, data):
        # The receiver knows the link by this address; an adapter has two addresses.
        receiver = self.find_le_controller(destination)
        connection = sender.le_connections.get(destination)
        if receiver and connection:
            asyncio.get_running_loop().call_soon(
                receiver.on_link_acl_data, connection.self_address, transport, data)


class Chip(Controller):
    """A low-energy controller as old as the boards: Bluetooth 4.2."""

    hci_version = lmp_version = hci.HCI_VERSION_BLUETOOTH_CORE_4_2
    # Extended advertising is omitted on purpose: most adapters in the field do not support it.
    le_features = (hci.LeFeatureMask.LE_ENCRYPTION
                   | hci.LeFeatureMask.CONNECTION_PARAMETERS_REQUEST_PROCEDURE
                   | hci.LeFeatureMask.EXTENDED_REJECT_INDICATION
                   | hci.LeFeatureMask.PERIPHERAL_INITIATED_FEATURE_EXCHANGE)
    le_acl_data_packet_length = 251
    total_num_le_acl_data_packets = 16

    def lose(self, peer):
        """End the link to `peer` on this side, as after a supervision timeout."""
        if connection := self.le_connections.get(peer):
            self.on_le_disconnected(connection, hci.HCI_ErrorCode.CONNECTION_TIMEOUT_ERROR)


class Adapter(Chip):
    """The controller whose host is the kernel in the VM."""

    def on_advertising_pdu(self, pdu):
        pending = self.pending_le_connection
        if pending and pending.peer_address == pdu.advertiser_address:
            self.create_le_connection(pdu.advertiser_address)
        if not self.le_scan_enable:
            return
        report = hci.HCI_LE_Advertising_Report_Event
        heard = [(report.EventType.ADV_IND, pdu.data)]
        board = self.link.find_le_controller(pdu.advertiser_address)
        if board and self.le_scan_type == hci.HCI_LE_Set_Scan_Parameters_Command.ACTIVE_SCANNING:
            heard.append((report.EventType.SCAN_RSP,
                          board.le_legacy_advertiser.scan_response_data))
        for event_type, data in heard:
            self.send_hci_packet(report([report.Report(
                event_type=event_type, data=data, rssi=-50,
                address_type=pdu.advertiser_address.address_type,
                address=pdu.advertiser_address)]))

    def on_hci_le_create_connection_cancel_command(self, _command):
        pending, self.pending_le_connection = self.pending_le_connection, None
        if not pending:
            return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.COMMAND_DISALLOWED_ERROR)
        # The kernel starts no other connection until it knows the result of this attempt.
        asyncio.get_running_loop().call_soon(
            self.send_hci_packet, hci.HCI_LE_Connection_Complete_Event(
                status=hci.HCI_ErrorCode.UNKNOWN_CONNECTION_IDENTIFIER_ERROR,
                connection_handle=0, role=0,
                peer_address_type=pending.peer_address_type,
                peer_address=pending.peer_address, connection_interval=0,
                peripheral_latency=0, supervision_timeout=0, central_clock_accuracy=0))
        return hci.HCI_StatusReturnParameters(hci.HCI_ErrorCode.SUCCESS)

    def forget_links(self):
        """End every link. Only the boards notice, since they no longer hear the adapter."""
        peers = list(self.le_connections)
        self.le_connections.clear()
        self.pending_le_connection = None
        self.le_scan_enable = False
        for board in self.link.controllers - {self}:
            if board.random_address in peers:
                for central in list(board.le_connections):
                    board.lose(central)

    def on_hci_reset_command(self, command):
        # The kernel sends this command whenever it finds an adapter, even if it has used the
        # adapter before.
        self.forget_links()
        return super().on_hci_reset_command(command)


class SerialLine(asyncio.Protocol):
    """The serial line between adapter and VM. A byte for the type precedes each HCI packet (H4)."""

    def __init__(self, adapter):
        self.adapter, self.parser = adapter, PacketParser(adapter)

    def connection_made(self, transport):
        self.transport = transport
        self.adapter.set_packet_sink(self)

    def connection_lost(self, _error):
        self.adapter.set_packet_sink(None)

    def data_received(self, data):
        try:
            self.parser.feed_data(data)
        except Exception as error:  # Out of sync, such as after half a packet: start again.
            print(f"serial line: {error!r}", file=sys.stderr, flush=True)
            self.parser.reset()

    def on_packet(self, packet):
        self.transport.write(packet)
