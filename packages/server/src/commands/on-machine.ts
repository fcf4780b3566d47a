import type { OnMachine } from '@copydesk/terminal/commands'

/**
 * How operators run commands on this machine that users with a login run against a server. Its dependencies
 * are loaded on first use: most commands go to a server.
 */
export const onMachine: OnMachine = {
  async isHere(command) {
    const { isInstalled } = await import('./machine-context.ts')
    return isInstalled(command)
  },
  async context(command, tenant) {
    const { machineDesk } = await import('./machine-context.ts')
    return machineDesk(command, tenant)
  },
}
