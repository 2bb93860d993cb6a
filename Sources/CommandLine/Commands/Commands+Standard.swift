extension Commands {
  /// The commands as the executable has them.
  public static let standard = Commands(
    demo: DemoRun.body, scan: ScanRun.body, pair: PairRun.body, boards: BoardsRun.body,
    identify: IdentifyRun.body, stream: StreamRun.body, record: RecordRun.body,
    sessions: SessionsRun.body, show: ShowRun.body, session: SessionRun.body,
    hazard: HazardRun.body,
    annotate: AnnotateRun.body, export: ExportRun.body, delete: DeleteRun.body,
    store: StoreRun.body, destination: DestinationRun.body, upload: UploadCommandRun.body,
    uploads: UploadsRun.body, fetch: FetchRun.body,
    reset: ResetRun.body, forget: ForgetRun.body, sensors: SensorsRun.body,
    simulate: SimulateRun.body, gps: GPSRun.body, inspect: InspectRun.body,
    receive: ReceiveRun.body,
    completeBoards: CompleteBoardsRun.body,
    completeDestinations: CompleteDestinationsRun.body)
}
