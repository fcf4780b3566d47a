import { ofField } from '../operations/refused.ts'

/** Exit codes: success, failure, usage error, not permitted. */
export const exitCodes = { done: 0, failed: 1, usage: 2, forbidden: 4 } as const

/** An error that a person can fix. Its message is shown as it is: what is wrong, where, and what to do. */
export class Failure extends Error {
  readonly exitCode: number

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'Failure'
    this.exitCode = options.exitCode ?? exitCodes.failed
  }
}

/** The command line is invalid. */
export function wrongUsage(message: string): Failure {
  return new Failure(message, { exitCode: exitCodes.usage })
}

const usageCodes = new Set(['VALIDATION_ERROR', 'BAD_REQUEST'])
const forbiddenCodes = new Set(['FORBIDDEN', 'UNAUTHORIZED'])

/**
 * One sentence and an exit code for anything that was thrown, on this machine or by a server. Errors are
 * identified by name, not by class: the core is only loaded by commands that use it.
 */
export function explain(error: unknown): { message: string; exitCode: number } {
  if (error instanceof Failure) return { message: error.message, exitCode: error.exitCode }
  if (!(error instanceof Error)) return { message: String(error), exitCode: exitCodes.failed }
  const { code, field } = error as { code?: unknown; field?: unknown }
  if (error.name === 'UsageError') return { message: error.message, exitCode: exitCodes.usage }
  if (error.name === 'ApiError') return explainAnswer(error as Refused)
  if (error.name === 'DomainError') {
    const exitCode = usageCodes.has(String(code))
      ? exitCodes.usage
      : forbiddenCodes.has(String(code))
        ? exitCodes.forbidden
        : exitCodes.failed
    const where = typeof field === 'string' && exitCode === exitCodes.usage ? field : undefined
    return { message: ofField(where, error.message), exitCode }
  }
  if (error.name === 'DatabaseError') return { message: error.message, exitCode: exitCodes.failed }
  const known = explainSystem(error)
  if (known) return { message: known, exitCode: exitCodes.failed }
  return {
    message: `Internal error: ${firstLine(error.message)}. COPYDESK_DEBUG=1 shows where.`,
    exitCode: exitCodes.failed,
  }
}

interface Refused extends Error {
  status: number
  field?: string
  requestId?: string
}

/** The error of a server with its request id, by which it can be found in the server's log. */
function explainAnswer({ status, message, field, requestId }: Refused): {
  message: string
  exitCode: number
} {
  const exitCode =
    status === 400
      ? exitCodes.usage
      : status === 401 || status === 403
        ? exitCodes.forbidden
        : exitCodes.failed
  const where = exitCode === exitCodes.usage ? field : undefined
  const which = status >= 500 && requestId ? ` (request ${requestId})` : ''
  return { message: `${ofField(where, message)}${which}`, exitCode }
}

/** An error of the operating system, also as the cause of another error. */
function explainSystem(error: Error): string | undefined {
  for (let each: unknown = error; each instanceof Error; each = each.cause) {
    const { code, path = 'the data folder' } = each as NodeJS.ErrnoException
    switch (code) {
      case 'EADDRINUSE':
      case 'EADDRNOTAVAIL':
        return firstLine(error.message)
      case 'ENOSPC':
      case 'EDQUOT':
      case 'SQLITE_FULL':
        return `The disk is full: ${path} cannot be written. Free some space and start again; no accepted data is lost.`
      case 'EACCES':
      case 'EPERM':
        return error.message.startsWith('Port ')
          ? firstLine(error.message)
          : `This user has no permission to use ${path}. Change its owner or mode, or choose another place with --data-dir.`
      case 'EROFS':
      case 'SQLITE_READONLY':
        return `${path} cannot be written, its file system is read-only. Choose another place with --data-dir.`
      case 'ENOENT':
        return `${path} does not exist. Create it, or name another one.`
      case 'ENOTDIR':
      case 'EEXIST':
        return `${path} is a file where a folder is needed. Move it away, or choose another place with --data-dir.`
      case 'EMFILE':
        return 'Too many files are open. Raise the limit (`ulimit -n`) and start again.'
      default:
    }
  }
  return undefined
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/\.$/, '')
}
