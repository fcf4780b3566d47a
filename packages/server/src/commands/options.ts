import { type CliOutput, createCliOutput } from '@copydesk/terminal/output'
import { type Command, InvalidArgumentError } from 'commander'
import { type Loaded, loadConfig } from '../config/load.ts'

interface Shared {
  json?: boolean | string
  config?: string
  dataDir?: string
  host?: string
  port?: number
}

/**
 * What every command needs: its output and its configuration, from the options that all commands share.
 * @param command the command that runs, which commander passes last to its action
 * @param own settings from options that only this command has
 */
export function prepare(command: Command, own: { role?: string } = {}): Loaded & { output: CliOutput } {
  const { config, dataDir, host, port } = command.optsWithGlobals<Shared>()
  const loaded = loadConfig({
    env: process.env,
    cwd: process.cwd(),
    ...own,
    ...(config !== undefined && { configFile: config }),
    ...(dataDir !== undefined && { dataDir }),
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
  })
  return { ...loaded, output: outputOf(command) }
}

export function outputOf(command: Command): CliOutput {
  return createCliOutput(command.optsWithGlobals<Shared>().json ?? false)
}

/** Parses an option with a number between `min` and `max`. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}

const firstYear = 1970
const lastYear = 2999

/** Parses an option with a calendar day, which begins in UTC. */
export function day(text: string): Date {
  const date = new Date(`${text}T00:00:00Z`)
  // A day that does not exist, such as 31 April, would be parsed as another day.
  if (/^\d{4}-\d{2}-\d{2}$/.test(text) && isInRange(date) && date.toISOString().startsWith(text)) return date
  throw new InvalidArgumentError(`It must be a day from ${firstYear} to ${lastYear}, such as 2026-12-31.`)
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const

/** Parses an option with an instant, or with a time ago: `30m`, `24h`, `7d`. */
export function since(text: string): Date {
  const ago = /^(\d{1,6})([mhd])$/.exec(text)
  const date = ago
    ? new Date(Date.now() - Number(ago[1]) * unitMs[ago[2] as keyof typeof unitMs])
    : new Date(/^\d{4}-\d{2}-\d{2}(T|$)/.test(text) ? text : Number.NaN)
  if (isInRange(date)) return date
  throw new InvalidArgumentError(
    `It must be a date from ${firstYear} to ${lastYear} such as 2026-04-01, or 30m, 24h, 7d.`,
  )
}

function isInRange(date: Date): boolean {
  const year = date.getUTCFullYear()
  return year >= firstYear && year <= lastYear
}
