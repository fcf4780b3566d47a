import type { OnMachine } from '@copydesk/terminal/commands'

/**
 * How operators run here what people with a login run on a server. What it needs is loaded when it is used: most commands go to
 * a server.
 */
export const onMachine: OnMachine = {
  async isHere(command) {
    const { isInstalled } = await import('./machine-desk.ts')
    return isInstalled(command)
  },
  async desk(command, tenant) {
    const { machineDesk } = await import('./machine-desk.ts')
    return machineDesk(command, tenant)
  },
}
