/// Limits on the studies in a set of definitions. A larger set would be hard to navigate, and each
/// entry may be a document that a gateway has to fetch.
public enum StudyLimits {
  public static let studies = 20
  /// The maximum number of blocks in a study.
  public static let blocks = 100
  /// The maximum number of tasks in all studies.
  public static let tasks = 200
}
