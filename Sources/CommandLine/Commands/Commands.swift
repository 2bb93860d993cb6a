/// The bodies of the commands, by which the executable and tests differ.
public struct Commands: Sendable {
  /// What a command does with its complete configuration.
  public typealias Body<Configuration> =
    @Sendable (Configuration, Console) async throws -> ExitStatus

  /// Body of `footbridge demo`.
  public var demo: Body<DemoConfiguration>
  /// Body of `footbridge scan`.
  public var scan: Body<ScanConfiguration>
  /// Body of `footbridge pair`.
  public var pair: Body<PairConfiguration>
  /// Body of `footbridge boards`.
  public var boards: Body<BoardsConfiguration>
  /// Body of `footbridge identify`.
  public var identify: Body<IdentifyConfiguration>
  /// Body of `footbridge stream`.
  public var stream: Body<StreamConfiguration>
  /// Body of `footbridge record`.
  public var record: Body<RecordConfiguration>
  /// Body of `footbridge sessions`.
  public var sessions: Body<SessionsConfiguration>
  /// Body of `footbridge show`.
  public var show: Body<ShowConfiguration>
  /// Body of `footbridge session`.
  public var session: Body<SessionConfiguration>
  /// Body of `footbridge hazard`.
  public var hazard: Body<HazardConfiguration>
  /// Body of `footbridge annotate`.
  public var annotate: Body<AnnotateConfiguration>
  /// Body of `footbridge export`.
  public var export: Body<ExportConfiguration>
  /// Body of `footbridge delete`.
  public var delete: Body<DeleteConfiguration>
  /// Body of `footbridge store`.
  public var store: Body<StoreConfiguration>
  /// Body of `footbridge destination`.
  public var destination: Body<DestinationConfiguration>
  /// Body of `footbridge upload`.
  public var upload: Body<UploadConfiguration>
  /// Body of `footbridge uploads`.
  public var uploads: Body<UploadsConfiguration>
  /// Body of `footbridge fetch`.
  public var fetch: Body<FetchConfiguration>
  /// Body of `footbridge reset`.
  public var reset: Body<ResetConfiguration>
  /// Body of `footbridge forget`.
  public var forget: Body<ForgetConfiguration>
  /// Body of `footbridge sensors`.
  public var sensors: Body<SensorsConfiguration>
  /// Body of `footbridge simulate`.
  public var simulate: Body<SimulateConfiguration>
  /// Body of `footbridge gps`.
  public var gps: Body<GPSConfiguration>
  /// Body of `footbridge inspect`.
  public var inspect: Body<InspectConfiguration>
  /// Body of `footbridge receive`.
  public var receive: Body<ReceiveConfiguration>

  /// Body of `footbridge complete-boards`.
  public var completeBoards: Body<CompleteBoardsConfiguration>
  /// Body of `footbridge complete-destinations`.
  public var completeDestinations: Body<CompleteDestinationsConfiguration>

  /// Commands with these bodies.
  public init(
    demo: @escaping Body<DemoConfiguration>, scan: @escaping Body<ScanConfiguration>,
    pair: @escaping Body<PairConfiguration>, boards: @escaping Body<BoardsConfiguration>,
    identify: @escaping Body<IdentifyConfiguration>,
    stream: @escaping Body<StreamConfiguration>, record: @escaping Body<RecordConfiguration>,
    sessions: @escaping Body<SessionsConfiguration>, show: @escaping Body<ShowConfiguration>,
    session: @escaping Body<SessionConfiguration>,
    hazard: @escaping Body<HazardConfiguration>,
    annotate: @escaping Body<AnnotateConfiguration>,
    export: @escaping Body<ExportConfiguration>,
    delete: @escaping Body<DeleteConfiguration>, store: @escaping Body<StoreConfiguration>,
    destination: @escaping Body<DestinationConfiguration>,
    upload: @escaping Body<UploadConfiguration>, uploads: @escaping Body<UploadsConfiguration>,
    fetch: @escaping Body<FetchConfiguration>,
    reset: @escaping Body<ResetConfiguration>, forget: @escaping Body<ForgetConfiguration>,
    sensors: @escaping Body<SensorsConfiguration>,
    simulate: @escaping Body<SimulateConfiguration>,
    gps: @escaping Body<GPSConfiguration>,
    inspect: @escaping Body<InspectConfiguration>,
    receive: @escaping Body<ReceiveConfiguration>,
    completeBoards: @escaping Body<CompleteBoardsConfiguration>,
    completeDestinations: @escaping Body<CompleteDestinationsConfiguration>
  ) {
    self.demo = demo
    self.scan = scan
    self.pair = pair
    self.boards = boards
    self.identify = identify
    self.stream = stream
    self.record = record
    self.sessions = sessions
    self.show = show
    self.session = session
    self.hazard = hazard
    self.annotate = annotate
    self.export = export
    self.delete = delete
    self.store = store
    self.destination = destination
    self.upload = upload
    self.uploads = uploads
    self.fetch = fetch
    self.reset = reset
    self.forget = forget
    self.sensors = sensors
    self.simulate = simulate
    self.gps = gps
    self.inspect = inspect
    self.receive = receive
    self.completeBoards = completeBoards
    self.completeDestinations = completeDestinations
  }

  /// All commands in the order of the help: the one list that parsing, help, manual page and
  /// completion come from.
  public var list: [Command] {
    [
      DemoConfiguration.command(body: demo),
      ScanConfiguration.command(body: scan),
      PairConfiguration.command(body: pair),
      BoardsConfiguration.command(body: boards),
      IdentifyConfiguration.command(body: identify),
      StreamConfiguration.command(body: stream),
      RecordConfiguration.command(body: record),
      SessionsConfiguration.command(body: sessions),
      ShowConfiguration.command(body: show),
      SessionConfiguration.command(body: session),
      HazardConfiguration.command(body: hazard),
      AnnotateConfiguration.command(body: annotate),
      ExportConfiguration.command(body: export),
      DeleteConfiguration.command(body: delete),
      StoreConfiguration.command(body: store),
      DestinationConfiguration.command(body: destination),
      UploadConfiguration.command(body: upload),
      UploadsConfiguration.command(body: uploads),
      FetchConfiguration.command(body: fetch),
      ResetConfiguration.command(body: reset),
      ForgetConfiguration.command(body: forget),
      SensorsConfiguration.command(body: sensors),
      SimulateConfiguration.command(body: simulate),
      GPSConfiguration.command(body: gps),
      InspectConfiguration.command(body: inspect),
      ReceiveConfiguration.command(body: receive),
      CompletionConfiguration.command(of: { self.list }),
      CompleteBoardsConfiguration.command(body: completeBoards),
      CompleteDestinationsConfiguration.command(body: completeDestinations),
      HelpConfiguration.command(explaining: { self.list }),
    ]
  }
}
