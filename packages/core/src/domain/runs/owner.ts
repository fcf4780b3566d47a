import { hostname } from 'node:os'

/** Names a process for its leases: host, process id, and a part that is new at every start. */
export function leaseOwner(boot: string): string {
  return `${hostname()}:${process.pid}:${boot}`
}

/** Those that are at work in this very process: several instances may share it. */
export const ownersHere = new Set<string>()

/** True when `other` is a process of this machine that certainly runs no more. */
export function isProcessGone(other: string, self: string): boolean {
  const [host, pid] = other.split(':')
  const [ownHost, ownPid] = self.split(':')
  if (host !== ownHost || other === self) return false
  // The same process id under another boot: an instance beside us, or the number was used again, by us.
  if (pid === ownPid) return !ownersHere.has(other)
  try {
    process.kill(Number(pid), 0)
    return false
  } catch (error) {
    return (error as { code?: string }).code === 'ESRCH'
  }
}
