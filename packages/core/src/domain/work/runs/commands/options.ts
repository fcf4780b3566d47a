import type { FailureFamily } from '../../../agents/models/entities.ts'

/** What one line of JSON means; paths are dotted, `*` stands for every item of a list. */
export interface LineRule {
  /** Holds for lines that have these values at these paths; every line when absent. */
  when?: Readonly<Record<string, string | number | boolean>>
  /** Where a piece of text stands as it is written. */
  delta?: string
  /** Where the whole text stands; the last one counts. Without any the pieces are the text. */
  text?: string
  /** Where it says that nothing had to be written. */
  nothingToDo?: string
  /** Where the name of the conversation stands, for a later run of the same activity. */
  session?: string
  /** Where tokens are counted; several paths are added up, and the last line that has any counts. */
  inputTokens?: string | readonly string[]
  outputTokens?: string | readonly string[]
  /** Where it says what went wrong. */
  error?: string
  /** Where the family of the failure stands, in our words. */
  family?: string
  /** Where a tool call stands. */
  tool?: { name: string; input?: string; output?: string; error?: string; durationMs?: string }
}

/** A command-line agent as the operator of the installation configures it. Tenants choose it by its name only. */
export interface CommandOptions {
  /** The program and its arguments, with `{{placeholders}}`; no shell reads them. */
  argv: readonly string[]
  /** In place of `argv` where a conversation is taken up: with `{{sessionId}}`. */
  resumeArgv?: readonly string[]
  /** What it reads on standard input; default `{{prompt}}`. */
  stdin?: string
  /** Written into the working folder before it starts. */
  files?: ReadonlyArray<{ name: string; text: string }>
  /** Variables of its environment. */
  env?: Readonly<Record<string, string>>
  /** Names of variables that it gets from the environment of the server. */
  passEnv?: readonly string[]
  /** What it writes on standard output; default `text`. */
  output?: 'text' | 'json-lines'
  /** What its lines of JSON mean; default: the form of our own, see `ownLines`. */
  lines?: readonly LineRule[]
  /** Families by exit code, before the usual ones. */
  exitCodes?: Readonly<Record<string, FailureFamily>>
  /** Families by what it says of a failure: regular expressions, before the usual ones. */
  failures?: ReadonlyArray<{ match: string; family: FailureFamily }>
  /** Arguments that make the program show its version; default `--version`, none when empty. */
  version?: readonly string[]
  /** A command that ends with 0 where the agent can work, for example because it is logged in. Spends no tokens. */
  check?: readonly string[]
  /** The most bytes of standard output; default 4 MiB. */
  maxOutputBytes?: number
  /** The tenants that may use it; default all. */
  tenantIds?: readonly string[]
}

/** The lines that a program of our own design writes. */
export const ownLines: readonly LineRule[] = [
  { when: { type: 'delta' }, delta: 'text' },
  {
    when: { type: 'result' },
    text: 'text',
    nothingToDo: 'nothingToDo',
    session: 'sessionId',
    inputTokens: 'usage.inputTokens',
    outputTokens: 'usage.outputTokens',
  },
  { when: { type: 'error' }, error: 'message', family: 'family', session: 'sessionId' },
  {
    when: { type: 'tool_call' },
    tool: { name: 'name', input: 'input', output: 'output', error: 'error', durationMs: 'durationMs' },
  },
]
