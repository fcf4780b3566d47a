import { createGuard } from './guard.ts'

/** False for an address that, by its looks, only this machine or its network can reach. */
export function isPublicAddress(url: string): boolean {
  try {
    const { hostname } = createGuard().checkUrl(url)
    return hostname.includes('.') && !/\.(?:local|localhost|internal|lan|home|test)$/.test(hostname)
  } catch {
    return false
  }
}
