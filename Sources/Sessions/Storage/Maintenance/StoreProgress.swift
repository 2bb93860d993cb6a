/// How far long work has come: done, of how many, and whether to go on.
public typealias StoreProgress = (_ done: Int, _ of: Int) -> Bool
