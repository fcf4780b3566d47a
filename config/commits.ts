import { execFileSync } from 'node:child_process'

const form =
  /^(?:build|chore|ci|docs|feat|fix|perf|refactor|test)(?:\([a-z0-9-]+(?:, ?[a-z0-9-]+)*\))?!?: (?!.*\.$)[^\sA-Z]\S*(?: \S+)+$/
const longest = 72

/**
 * The form of the commits since this check came in: `type(scope): what it does`, at most 72 characters; a body, where there is
 * one, after an empty line.
 * @returns one line for each commit of another form; none where the history is not there
 */
export function commitFaults(root: string): string[] {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
  let log: string
  try {
    const since = git('log', '--diff-filter=A', '--format=%H', '--', 'config/commits.ts')
      .trim()
      .split('\n')
      .at(-1)
    if (!since) return []
    log = git('log', '--no-merges', '--format=%h%x00%B%x01', `${since}..HEAD`)
  } catch {
    // An archive of the sources, or a clone without their history.
    return []
  }
  return log.split('\x01\n').flatMap((entry) => {
    const [hash, message = ''] = entry.split('\0')
    return message === '' ? [] : faultsOf(message).map((fault) => `commit ${hash}: ${fault}`)
  })
}

/** What is wrong with the message of a commit. */
export function faultsOf(message: string): string[] {
  const [subject = '', blank] = message.split('\n')
  return [
    ...(form.test(subject)
      ? []
      : [`"${subject}" is not of the form "type(scope): what it does", such as "fix(jobs): …"`]),
    ...(subject.length > longest
      ? [`its first line has ${subject.length} characters; ${longest} is the most`]
      : []),
    ...(blank ? ['an empty line is missing after the first'] : []),
  ]
}
