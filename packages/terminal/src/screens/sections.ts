import { mayRunNamed } from '../operations/catalogue.ts'
import { agentsScreen } from './agents-screen.ts'
import { billingScreen } from './billing-screen.ts'
import { calendarScreen } from './calendar-screen.ts'
import { campaignsScreen } from './campaigns-screen.ts'
import { commandLine } from './command-line.ts'
import { costScreen } from './cost-screen.ts'
import { commonBindings } from './frame.ts'
import { helpScreen } from './help-screen.ts'
import { knowledgeScreen } from './knowledge-screen.ts'
import { queueScreen } from './queue-screen.ts'
import { requestsScreen } from './requests-screen.ts'
import type { Binding, OpenScreen } from './screen.ts'
import type { Shell } from './shell.ts'
import { tenantsScreen } from './tenants-screen.ts'

type Sections = ReadonlyArray<[key: string, label: string, screen: OpenScreen]>

/** Screens that can be opened from everywhere with one key; the same key closes them. */
const ofStaff: Sections = [
  ['2', 'queue', queueScreen],
  ['3', 'agents', agentsScreen],
  ['4', 'tenants', tenantsScreen],
  ['5', 'cost', costScreen],
  ['6', 'requests', requestsScreen],
  ['7', 'knowledge', knowledgeScreen],
  ['8', 'billing', billingScreen],
]

/** The same for a tenant's users. */
const ofTeam: Sections = ofStaff.map((section): Sections[number] => {
  if (section[2] === tenantsScreen) return ['4', 'campaigns', campaignsScreen]
  return section[2] === billingScreen ? ['8', 'calendar', calendarScreen] : section
})

/** Billing is for super-admins. Where the role is not known, its screen says so. */
function sectionsFor({ tenant, staffRole = 'super_admin' }: Shell['context']): Sections {
  if (tenant) return ofTeam
  return staffRole === 'super_admin' ? ofStaff : ofStaff.filter(([, , screen]) => screen !== billingScreen)
}

/** Key bindings of every screen; the help comes last. */
export function everywhere(shell: Shell): Binding[] {
  const atHome = shell.screens.length === 1
  const ways: Binding[] = [
    { key: '1', label: 'home', quiet: true, run: () => shell.go() },
    ...sectionsFor(shell.context).map(([key, label, screen]): Binding => {
      const run = () => shell.go(screen)
      // On other screens the footer has no room for them, and the last is for few.
      return atHome && key !== '8' ? { key, label, run } : { key, label, run, quiet: true }
    }),
  ]
  const line: Binding = {
    key: ':',
    label: 'command',
    help: mayRunNamed(shell.context, 'ask') ? 'a command, or plain words' : 'a command',
    run: () => commandLine(shell),
  }
  const all = [...ways, line, ...commonBindings(shell)]
  return [...all, { key: '?', label: 'help', help: 'this help', run: () => shell.open(helpScreen(all)) }]
}
