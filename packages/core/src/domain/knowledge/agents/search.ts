import type { Ctx } from '../../../kernel/context.ts'
import { DomainError } from '../../../kernel/errors.ts'
import { OutboundError } from '../../../platform/http/outbound-error.ts'
import { ParseFault } from '../../../platform/parsing/parsed.ts'
import { ThreadFault } from '../../../platform/threads/threads.ts'
import type { TenantKnowledge } from '../../work/sources/ports.ts'
import { datasetsOfRole } from '../datasets/role-queries.ts'
import { carefulAlpha } from '../search/schemas.ts'
import { searchKnowledge } from '../search/search.ts'

/** What an agent finds in the datasets that its role may search; see `TenantKnowledge.search`. */
export const searchForAgent: TenantKnowledge['search'] = async (
  ctx,
  { tenantId, agentRole, query, topK },
) => {
  const datasetIds = await datasetsOfRole(ctx, tenantId, agentRole)
  if (datasetIds.length === 0) return []
  const { results } = await searchKnowledge(ctx, { query, datasetIds, topK, hybridAlpha: carefulAlpha })
  return results.map(({ chunkId, fileId, datasetId, fileName, content, score, metadata }) => ({
    kind: 'knowledge' as const,
    title: fileName,
    text: content,
    score,
    chunkId,
    fileId,
    datasetId,
    heading: metadata.heading ?? null,
    page: metadata.pageNumber ?? null,
    url: metadata.url ?? null,
  }))
}

/** Of a page that an agent reads, bytes and characters. */
const maxPageBytes = 5 * 2 ** 20
const maxPageText = 20_000
const timeoutMs = 20_000

/** The main text of one public page, HTML or any document that can be ingested; see `TenantKnowledge.readPage`. */
export const readWebPage: TenantKnowledge['readPage'] = async (ctx, { tenantId, url }) => {
  try {
    const { document, from } = await fetchPage(ctx, tenantId, url)
    const text = document.blocks.map((block) => block.text).join('\n\n')
    if (text.trim() === '') throw unreadable('it has no text')
    return {
      kind: 'web' as const,
      title: document.title ?? new URL(from).host,
      text: text.slice(0, maxPageText).toWellFormed(),
      url: from,
      truncated: text.length > maxPageText,
    }
  } catch (error) {
    if (error instanceof OutboundError) throw unreadable(error.message)
    if (error instanceof ParseFault) throw unreadable(error.message)
    if (error instanceof ThreadFault) throw unreadable('too much is being read at the moment; try it later')
    throw error
  }
}

async function fetchPage(ctx: Ctx, tenantId: string, url: string) {
  const { http, parser, settings } = ctx.services
  const response = await http.request(url, {
    headers: {
      accept: 'text/html, application/pdf, text/plain;q=0.9',
      'user-agent': `Copydesk (+${settings.baseUrl})`,
    },
    maxBytes: maxPageBytes,
    timeoutMs,
  })
  const bytes = await response.bytes()
  if (response.status !== 200) throw unreadable(`its server answered with ${response.status}`)
  const [type = '', ...parameters] = (response.headers.get('content-type') ?? '').toLowerCase().split(';')
  const options = { owner: tenantId }
  if (!/html/.test(type)) {
    const fileName = new URL(response.url).pathname.split('/').at(-1) || 'page'
    return {
      document: await parser.parse({ bytes, fileName, engine: 'NATIVE' }, options),
      from: response.url,
    }
  }
  const charset = /charset\s*=\s*"?([\w-]+)/.exec(parameters.join(';'))?.[1]
  const input = { bytes, url: response.url, charset, mainTextOnly: true }
  return { document: (await parser.readPage(input, options)).document, from: response.url }
}

function unreadable(reason: string): DomainError {
  return new DomainError('UNPROCESSABLE', `The page cannot be read: ${reason}`, { field: 'url' })
}
