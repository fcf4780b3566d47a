import type { FailureFamily } from '../../../agents/models/entities.ts'
import { failureFamilies } from '../../../agents/models/entities.ts'
import type { LineRule } from './options.ts'

export interface ReportedCall {
  toolName: string
  input: unknown
  output: unknown
  error: string | undefined
  durationMs: number
}

/** Hears what a command says while it says it. */
export interface OutputSink {
  delta(text: string): void
  tool(call: ReportedCall): void
}

/** What a command has said by its end. */
export interface CommandOutput {
  text: string
  nothingToDo: boolean
  sessionId: string | undefined
  usage: { inputTokens: number; outputTokens: number } | undefined
  error: string | undefined
  family: FailureFamily | undefined
  /** The last line that meant nothing, for anyone who looks for a reason. */
  stray: string
}

/** Makes sense of standard output as it comes. */
export interface OutputReader {
  take(chunk: string): void
  end(): CommandOutput
}

/** The longest line that is read, characters; a longer one means nothing. */
const maxLine = 2_000_000

/** All of it is text, as it is written. */
export function readPlainText(sink: OutputSink): OutputReader {
  let text = ''
  return {
    take(chunk) {
      text += chunk
      sink.delta(chunk)
    },
    end: () => ({ ...nothingSaid, text: text.trim() }),
  }
}

const nothingSaid: CommandOutput = {
  text: '',
  nothingToDo: false,
  sessionId: undefined,
  usage: undefined,
  error: undefined,
  family: undefined,
  stray: '',
}

/** One JSON object a line; each rule that fits a line is heard, what is no JSON is passed over. */
export function readLines(rules: readonly LineRule[], sink: OutputSink): OutputReader {
  const said = { ...nothingSaid }
  let pieces = ''
  let whole: string | undefined
  let rest = ''
  const hear = (line: unknown, rule: LineRule) => {
    const delta = textAt(line, rule.delta)
    if (delta) {
      pieces += delta
      sink.delta(delta)
    }
    whole = textAt(line, rule.text) ?? whole
    if (rule.nothingToDo !== undefined && at(line, rule.nothingToDo) === true) said.nothingToDo = true
    said.sessionId = textAt(line, rule.session) ?? said.sessionId
    said.usage = usageIn(line, rule) ?? said.usage
    said.error = textAt(line, rule.error) ?? said.error
    const family = textAt(line, rule.family)
    said.family = failureFamilies.find((name) => name === family) ?? said.family
    const call = rule.tool && callIn(line, rule.tool)
    if (call) sink.tool(call)
  }
  const read = (text: string) => {
    const line = text.length > maxLine ? undefined : parse(text)
    const fitting = line === undefined ? [] : rules.filter((rule) => fits(line, rule))
    if (line === undefined && text.trim() !== '') said.stray = text.trim().slice(-1_000)
    for (const rule of fitting) hear(line, rule)
  }
  return {
    take(chunk) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) read(line)
    },
    end() {
      if (rest !== '') read(rest)
      // Anyone who watches sees at least the end of what came in one piece.
      if (pieces === '' && whole) sink.delta(whole)
      return { ...said, text: (whole ?? pieces).trim() }
    },
  }
}

function parse(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}

function fits(line: unknown, { when = {} }: LineRule): boolean {
  return Object.entries(when).every(([path, value]) => {
    const found = at(line, path)
    return Array.isArray(found) && path.includes('*') ? found.includes(value) : found === value
  })
}

/** What stands at a dotted path; of every item where it holds `*`. */
export function at(value: unknown, path: string): unknown {
  const walk = (here: unknown, [name, ...rest]: string[]): unknown => {
    if (name === undefined) return here
    if (typeof here !== 'object' || here === null) return undefined
    if (name === '*') return Object.values(here).flatMap((item) => walk(item, rest) ?? [])
    return Object.hasOwn(here, name) ? walk((here as Record<string, unknown>)[name], rest) : undefined
  }
  return walk(value, path.split('.'))
}

function textAt(line: unknown, path: string | undefined): string | undefined {
  const found = path === undefined ? undefined : at(line, path)
  if (typeof found === 'string') return found
  if (!Array.isArray(found)) return undefined
  const texts = found.filter((item) => typeof item === 'string')
  return texts.length > 0 ? texts.join('') : undefined
}

function usageIn(line: unknown, { inputTokens, outputTokens }: LineRule): CommandOutput['usage'] {
  const count = (paths: string | readonly string[] = []) => {
    const found = [paths].flat().map((path) => at(line, path as string))
    const numbers = found.filter((item) => Number.isSafeInteger(item) && (item as number) >= 0) as number[]
    return numbers.length > 0 ? numbers.reduce((sum, item) => sum + item, 0) : undefined
  }
  const [input, output] = [count(inputTokens), count(outputTokens)]
  return input === undefined && output === undefined
    ? undefined
    : { inputTokens: input ?? 0, outputTokens: output ?? 0 }
}

function callIn(line: unknown, tool: NonNullable<LineRule['tool']>): ReportedCall | undefined {
  const toolName = textAt(line, tool.name)
  if (!toolName) return undefined
  const durationMs = tool.durationMs === undefined ? 0 : at(line, tool.durationMs)
  return {
    toolName: toolName.slice(0, 200),
    input: tool.input === undefined ? undefined : at(line, tool.input),
    output: tool.output === undefined ? undefined : at(line, tool.output),
    error: textAt(line, tool.error),
    durationMs: typeof durationMs === 'number' && durationMs >= 0 ? durationMs : 0,
  }
}
