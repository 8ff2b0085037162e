// What the words of a refusal are about, for all who ask again in another form.

/** A value out of its range is a mistake of the user's, to be told and not to be hidden. */
export function isAboutValue(message: string): boolean {
  return /input should be|must be (?:between|less|greater|at (?:least|most)|a |an |in )|out of range|too (?:large|high|small|low)|[<>]=? ?-?\d|maximum|minimum|at most|at least|(?:above|below)_m(?:ax|in)_value/i.test(
    message,
  );
}

/** One schema does not suit the server; others may, so that nothing is learned for them. */
export function isAboutOneSchema(message: string): boolean {
  return /invalid (?:json[ _])?schema|\bin context=|\bschema\.\w|\bgrammar\b|\bkeyword\b/i.test(
    message,
  );
}
