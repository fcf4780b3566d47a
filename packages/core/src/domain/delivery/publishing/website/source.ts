import type { ChannelType } from '../../../accounts/channels/entities.ts'
import type { PlatformCall, PlatformRules } from '../../../accounts/channels/platform-call.ts'
import type { PlatformAccount } from '../connector.ts'
import type { DayOfPage } from './figures.ts'

/** Days, both of them included, `YYYY-MM-DD`. */
export interface AskedDays {
  from: string
  to: string
}

/** Something that counts what becomes of a website; nothing is published there. */
export interface WebsiteSource {
  type: ChannelType
  rules: PlatformRules
  /** The websites that the consent opens. @throws PlatformError */
  accounts(call: PlatformCall): Promise<readonly PlatformAccount[]>
  /**
   * The days to be asked for, as the source counts days.
   * @param known the last day of which the figures are here
   * @returns null when there is nothing new
   */
  due(now: Date, known: string | null): AskedDays | null
  /**
   * The figures of the whole website, and of those of its pages that are ours. It only reads.
   * @param pages our pages, by `pageKey`
   * @returns days and pages of which the source says nothing were not visited
   * @throws PlatformError
   */
  read(call: PlatformCall, span: AskedDays, pages: ReadonlySet<string>): Promise<DayOfPage[]>
}

/** The sources of an instance. */
export type WebsiteSources = ReadonlyMap<ChannelType, WebsiteSource>

declare module '../../../../kernel/services.ts' {
  interface Services {
    websiteSources: WebsiteSources
  }
}
