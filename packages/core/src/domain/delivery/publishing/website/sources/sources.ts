import type { WebsiteSource, WebsiteSources } from '../source.ts'
import { searchConsole } from './search-console.ts'
import { webAnalytics } from './web-analytics.ts'

const all: readonly WebsiteSource[] = [webAnalytics, searchConsole]

export const websiteSources: WebsiteSources = new Map(all.map((one) => [one.type, one]))
