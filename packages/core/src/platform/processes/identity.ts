import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * What tells a process from every other that has had or will have its number: when it started, and on Linux in which boot
 * of the machine.
 * @returns undefined when there is no such process
 */
export function startOf(pid: number): string | undefined {
  return process.platform === 'linux' ? startOnLinux(pid) : startByPs(pid)
}

function startOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The name in brackets may hold anything; the 22nd field is the 20th after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()}:${ticks}`
  } catch {
    return undefined
  }
}

function startByPs(pid: number): string | undefined {
  const { stdout, status } = spawnSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' })
  return (status === 0 && stdout.trim()) || undefined
}

/** True while the process that started then is there. */
export function isAlive({ pid, start }: { pid: number; start: string }): boolean {
  return startOf(pid) === start
}

/**
 * Sends a signal to all processes of a group.
 * @returns false when none is left
 */
export function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch (error) {
    // Those of another user cannot be ended, but they are there.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
