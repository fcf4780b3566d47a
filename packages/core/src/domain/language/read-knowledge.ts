import { counted, knowledgeSearchForms, plain, quoted } from '@copydesk/language'
import { listDatasetsForReview } from '../knowledge/datasets/queries.ts'
import { actionAnswer, clarificationAnswer, factAnswer, type Interpretation } from './interpretation.ts'
import { type LanguageRequest, type QueryContext, scopedTo } from './query-context.ts'

/** The longest that a search takes, letters. */
const mostLetters = 1_000

/** What is in the datasets of the tenants. */
export async function readKnowledge(scene: QueryContext, { said }: LanguageRequest): Promise<Interpretation> {
  if (said.text.startsWith('search')) return nothingWanted()
  const { data } = await listDatasetsForReview(scopedTo(scene, said))
  const [tenant] = said.tenants
  const of = tenant ? ` of ${plain(tenant.name, 80)}` : ''
  const sum = (one: 'totalFiles' | 'totalChunks') => data.reduce((all, each) => all + each[one], 0)
  const building = data.filter(({ status }) => status === 'building').length
  const state = building > 0 ? ` Files are being read into ${counted(building, 'dataset')}.` : ''
  return factAnswer(
    `The knowledge base${of} has ${counted(sum('totalFiles'), 'file')} in ${counted(data.length, 'dataset')}.${state}`,
    {
      titles: ['Tenant', 'Dataset', 'Files', 'Chunks', 'Status'],
      rows: data.map((each) => [
        each.tenantName,
        each.name,
        String(each.totalFiles),
        String(each.totalChunks),
        each.status,
      ]),
    },
  )
}

/** The command that searches the knowledge base of a tenant; which tenant is asked where there are several. */
export function findKnowledge({ counts }: QueryContext, { said }: LanguageRequest): Interpretation {
  const query = queryIn(said)
  if (query === undefined) return nothingWanted()
  const [named] = said.tenants
  const known = counts.map(({ tenantId: id, tenantName: name }) => ({ id, name }))
  const tenant = named ?? (known.length === 1 ? known[0] : undefined)
  if (!tenant)
    return clarificationAnswer(
      'Whose knowledge base is to be searched?',
      known.map(({ id, name }) => `search the knowledge base of tenant ${id} (${quoted(name)}) for ${query}`),
    )
  return actionAnswer(
    { name: 'kb search', query, tenant: tenant.id },
    `Search the knowledge base of ${plain(tenant.name, 80)} for ${quoted(query)}`,
  )
}

const mark = '@tenant'
const nothingWanted = () => clarificationAnswer('What is to be looked for in the knowledge base?')

/** The forms for a text as it was typed: politeness may stand before what is asked. */
const forms = knowledgeSearchForms.map((form) => new RegExp(form.source.replace('^', '\\b'), 'i'))

/** What is looked for, as it was typed, without the tenant at its end. */
function queryIn({ raw, tenants, tenantsAt: { start, end } }: LanguageRequest['said']): string | undefined {
  const isNamed = tenants.length > 0
  const typed = isNamed ? raw.slice(0, start) + mark + raw.slice(end).replace(/^['’]s\b/, '') : raw
  const text = typed.replaceAll(/knowledge-base/gi, 'knowledge base').replace(/[\s.?!]+$/, '')
  const wanted = forms.map((form) => form.exec(text)?.groups?.['wanted']).find((found) => found !== undefined)
  const query = wanted
    ?.replace(/ (?:of|at|for|from|in) (?:the )?(?:tenant )?@tenant$/, '')
    .replace(mark, raw.slice(start, end))
    // A dash at the beginning would be taken for an option.
    .replaceAll(/^[\s"“„«‘'-]+|[\s"”“»’']+$/g, '')
    .slice(0, mostLetters)
  return query === '' || wanted === mark ? undefined : query
}
