import type { SlashCommand } from './commands.ts'
import { leftOver } from './coverage.ts'
import { proposed, type Reading } from './reading.ts'
import type { Request } from './scene.ts'

/** The screens, how people call them, and whether one can be narrowed to a tenant. */
const screens: ReadonlyArray<readonly [RegExp, SlashCommand['name'] & Screen, isOfTenant: boolean]> = [
  [/\b(?:agent )?queues\b/, 'queues', true],
  [/\b(?:queue|work)\b/, 'queue', true],
  [/\bagents\b/, 'agents', true],
  [/\b(?:feed|inbox)\b/, 'feed', false],
  [/\b(?:costs?|spend(?:ing)?)\b/, 'cost', true],
  [/\b(?:tenants|clients|customers)\b/, 'tenants', false],
  [/\b(?:status|overview|dashboard)\b/, 'status', true],
]
type Screen = 'queues' | 'queue' | 'agents' | 'feed' | 'cost' | 'tenants' | 'status'

/** The screen that is to be opened; undefined where something else is meant. */
export function screenIn(request: Request): Reading | undefined {
  const { said } = request
  const [form, name, isOfTenant] = screens.find(([one]) => one.test(said.text)) ?? []
  if (!form || !name) return undefined
  const accounts = {
    slots: isOfTenant ? (['tenant'] as const) : [],
    forms: [/#open/, form, /\b(?:screen|page|view)\b/],
  }
  if (said.tenants.length > 1 || leftOver(request, accounts).length > 0) return undefined
  const [tenant] = said.tenants
  return proposed({ name, ...(tenant && { tenant: tenant.id }) } as SlashCommand, `Open the ${name} screen`)
}
