// The measures of the strategies with their standards. Each is a setting of the same name: option, endpoint file, environment.

const STANDARD = {
  /** Outputs that `shorten_tools` leaves whole, whatever their length. */
  full_tool_outputs: 10,
  /** Characters of tool text up to which it leaves everything whole. */
  max_tool_chars: 100_000,
  /** Calls and outputs beyond which it drops what is not whole. */
  max_tool_calls: 40,
  max_tool_outputs: 40,
  /** Calls of a prompt up to which the strategies with epochs change nothing. */
  epoch_threshold: 50,
  /** Calls that are whole at the start of an epoch; those of the epoch come on top. */
  epoch_full: 20,
  /** Calls before those that are shortened; older ones are dropped. */
  epoch_compacted: 80,
  /** Calls from one move of the boundary to the next. */
  epoch_size: 20,
  /** By how many calls an epoch grows, and after how many epochs; once more for one with a repeated call. */
  epoch_growth: 10,
  epoch_growth_every: 3,
  epoch_size_max: 60,
  /** By how many calls the shortened part grows for each call that the epoch grew. */
  epoch_compacted_growth: 2,
  epoch_compacted_max: 160,
  /** Texts up to this length are not shortened: one argument of a call, an output. */
  shortened_argument: 200,
  shortened_output: 400,
};

export type Thresholds = Readonly<typeof STANDARD>;

/** Names of all of them. */
export const THRESHOLDS: readonly string[] = Object.keys(STANDARD);

/** The measures that the settings say, the standard ones for the rest. */
export function thresholds(settings: Readonly<Record<string, unknown>>): Thresholds {
  const entries = Object.entries(STANDARD).map(([name, standard]) => {
    const value = settings[name];
    return [name, typeof value === 'number' && value >= 0 ? value : standard];
  });
  return Object.fromEntries(entries) as Thresholds;
}
