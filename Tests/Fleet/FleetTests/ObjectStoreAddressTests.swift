import Fleet
import TestSupport
import Testing

@Suite(.computation) struct ObjectStoreAddressTests {
  @Test(arguments: [
    ("https://S3.example.org/walks", "https://s3.example.org/walks"),
    ("https://s3.example.org:9000/walks/fleet-1/", "https://s3.example.org:9000/walks/fleet-1"),
    ("http://127.0.0.1:9000/my.walks", "http://127.0.0.1:9000/my.walks"),
  ])
  func `a bucket's address, with or without a prefix, is normalised`(
    _ text: String, _ shown: String
  ) throws {
    #expect(try ObjectStoreAddress(text).description == shown)
  }

  @Test(arguments: [
    ("ftp://s3.example.org/walks", ObjectStoreAddress.Misfit.noAddress),
    ("https://s3.example.org/walks?x=1", .noAddress),
    ("https://key:secret@s3.example.org/walks", .hasSecret),
    ("https://s3.example.org/", .noBucket), ("https://s3.example.org/Walks", .noBucket),
    ("https://s3.example.org/walks/a_b", .noBucket), ("http://s3.example.org/walks", .isPlain),
  ])
  func `an unusable address is rejected`(
    _ text: String, _ misfit: ObjectStoreAddress.Misfit
  ) {
    #expect(throws: misfit) { try ObjectStoreAddress(text) }
  }

  @Test
  func `a key is read from a credentials file or the environment, and is shown without its secret`()
  {
    let file = """
      [other]
      aws_access_key_id = wrong
      [default]
      # of the fleet
      aws_access_key_id = AKIA1
      aws_secret_access_key=a/b+c=
      """
    #expect(ObjectStoreKey(file: file) == ObjectStoreKey(id: "AKIA1", secret: "a/b+c="))
    #expect(
      ObjectStoreKey(environment: [
        "AWS_ACCESS_KEY_ID": "A", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c",
      ]) == ObjectStoreKey(id: "A", secret: "b", session: "c"))
    #expect(ObjectStoreKey(file: "[other]\naws_access_key_id = A\n") == nil)
    #expect(ObjectStoreKey(environment: ["AWS_ACCESS_KEY_ID": "A"]) == nil)
    #expect("\(ObjectStoreKey(id: "A", secret: "hidden"))" == "A")
  }

  @Test func `only object names that every libcurl version signs correctly are accepted`() {
    #expect(ObjectStore.isFit("sessions/0-9/a"))
    for name in ["", "/a", "A", "a:b", "a b", "a%20", "ü"] { #expect(!ObjectStore.isFit(name)) }
  }
}
