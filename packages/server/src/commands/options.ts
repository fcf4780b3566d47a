import { type Command, InvalidArgumentError } from 'commander'
import { type Loaded, loadConfig } from '../config/load.ts'
import { createTalk, type Talk } from '@copydesk/terminal/talk'

interface Shared {
  json?: boolean
  config?: string
  dataDir?: string
  host?: string
  port?: number
}

/**
 * What every command starts with: how it talks, and its configuration, from the options that all commands share.
 * @param command the command that runs, which commander passes last to its action
 * @param own settings by options that mean something else to other commands
 */
export function prepare(command: Command, own: { role?: string } = {}): Loaded & { talk: Talk } {
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
  return { ...loaded, talk: talkOf(command) }
}

export function talkOf(command: Command): Talk {
  return createTalk(command.optsWithGlobals<Shared>().json ?? false)
}

/** For options that take a number between `min` and `max`. */
export function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= min && value <= max) return value
    throw new InvalidArgumentError(`It must be a whole number from ${min} to ${max}.`)
  }
}
