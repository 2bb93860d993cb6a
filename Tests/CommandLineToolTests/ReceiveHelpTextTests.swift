@testable import CommandLineTool
import TestSupport
import Testing
import Values

@Suite(.computation) struct ReceiveHelpTextTests {
  @Test func `the help of receive tells where what comes in is kept, and who is let in`() async {
    #expect(
      await Outcome.of("receive", "--help").output == """
        usage: footbridge receive [--into PATH] [--listen ADDRESS:PORT]
                                  [--definitions PATH] [--token-file FILE]
                                  [--certificate FILE] [--certificate-key FILE]
                                  [--objects URL] [--objects-region REGION]
                                  [--objects-key-file FILE] [--seal-after MINUTES]
                                  [--live ADDRESS] [--fleet NAME]...
                                  [--broker-password-file FILE] [--broker-ca-file FILE]
                                  [--page ADDRESS:PORT] [--tiles FILE] [--json]

        An endpoint for 'footbridge upload', for a laboratory and for tests. It checks
        what it receives, and confirms it when it is safely on the disk. What is sent
        twice is kept once. Its store is like any other: 'footbridge sessions' and
        'footbridge export' read it at any time.

        With postgres://USER@HOST/DATABASE, or several hosts separated by commas, many
        upload servers share one database, and each gateway has a token of its own: see
        'footbridge fleet'. docs/fleet.md tells how. With --objects, sessions that are
        complete move from there into a bucket of an S3 service, one object each. With
        --live, it also follows where the gateways are.

        --definitions names a file with what gateways shall record, or a folder with a
        file for each: GATEWAY.json, and default.json for the others. An edited file
        counts at once; 'footbridge definitions check' finds its faults.
        docs/definitions.md describes the form.

        Other computers reach it with --listen 0.0.0.0:8420 or an address of this one.
        That needs --token-file, and should have --certificate or a TLS proxy in front.
        Token and key are read only from files that nobody else may read.
        docs/upload-protocol.md describes the protocol.

        Example: footbridge receive --into walks.sqlite

        options:
              --into PATH                  keep received data in this store, if its name
                                           ends in .sqlite, in this database of a fleet,
                                           if it begins with postgres://, or else in
                                           this folder
              --listen ADDRESS:PORT        listen at this address; port 0 takes a free
                                           one (default: 127.0.0.1:8420)
              --definitions PATH           give gateways the definitions in this file,
                                           or in this folder of files
              --token-file FILE            accept only gateways that send the token in
                                           this file
              --certificate FILE           serve HTTPS with this certificate and its
                                           chain (PEM)
              --certificate-key FILE       the certificate's key (PEM)
              --objects URL                seal the sessions of a fleet into this S3
                                           bucket, as in https://HOST/BUCKET
              --objects-region REGION      the bucket's region (default: $AWS_REGION,
                                           else us-east-1)
              --objects-key-file FILE      the bucket's key is in this file, as in
                                           ~/.aws/credentials (default:
                                           $AWS_ACCESS_KEY_ID and
                                           $AWS_SECRET_ACCESS_KEY)
              --seal-after MINUTES         seal a session when nothing has come of it
                                           for so long (default: 10)
              --live ADDRESS               follow the gateways of a fleet at this MQTT
                                           broker, keep their last state in the
                                           database, and give it to readers
              --fleet NAME                 the name of the fleet there; may be repeated
              --broker-password-file FILE  the file with the password for the broker
                                           (default: $FOOTBRIDGE_BROKER_PASSWORD)
              --broker-ca-file FILE        trust the certificates in this file at the
                                           broker, instead of the system's
              --page ADDRESS:PORT          serve a page for phones at this address: the
                                           walks of the store or the fleet, and where
                                           the gateways of a fleet are
              --tiles FILE                 the map of the page, an MBTiles file
              --json                       print the address at the start, and the
                                           outcome, as JSON

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `an address to listen at is read, and what is none is explained`() async {
    #expect(
      await Outcome.of("receive", "--into", "a.sqlite", "--listen", "[::1]:80").output
        == "into a.sqlite, at [::1]:80, token -, certificate -, key -, json false\n")
    #expect(
      await Outcome.of("receive", "--listen", "laptop:8420")
        == .misunderstood(
          """
          error: '--listen' cannot be 'laptop:8420'
                 ADDRESS:PORT is an address of this computer with a port, as in 127.0.0.1:8420 or [::1]:8420
                 0.0.0.0:8420 is all of its addresses, port 0 one that is free
                 try 'footbridge receive --help'
          """))
  }
}
