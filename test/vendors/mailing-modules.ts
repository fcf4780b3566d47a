interface Campaign {
  id: string
  status: string
  settings: { title: string }
}

/** What is used of `@mailchimp/mailchimp_marketing`. */
export interface MailchimpModule {
  basePath: string
  setConfig(config: { apiKey: string; server: string }): void
  root: { getRoot(): Promise<object> }
  lists: { getAllLists(): Promise<{ lists: unknown[] }> }
  fileManager: { upload(file: object): Promise<{ full_size_url: string }> }
  campaigns: {
    create(campaign: object): Promise<Campaign>
    get(id: string): Promise<Campaign>
    list(query: object): Promise<{ campaigns: Campaign[] }>
    setContent(id: string, content: object): Promise<unknown>
    getSendChecklist(id: string): Promise<{ is_ready: boolean }>
    send(id: string): Promise<unknown>
  }
  reports: { getCampaignReport(id: string): Promise<object> }
}

/** What is used of `@getbrevo/brevo`. */
export interface BrevoModule {
  BrevoClient: new (options: {
    apiKey: string
    baseUrl: string
    maxRetries: number
  }) => {
    account: { getAccount(): Promise<object> }
    senders: { getSenders(): Promise<{ senders: unknown[] }> }
    contacts: { getLists(): Promise<{ lists: unknown[] }> }
    transactionalEmails: { sendTransacEmail(mail: object): Promise<{ messageId: string }> }
    emailCampaigns: {
      createEmailCampaign(campaign: object): Promise<{ id: number }>
      getEmailCampaigns(query: object): Promise<{ campaigns: unknown[] }>
      getEmailCampaign(query: object): Promise<{ statistics: { globalStats: object } }>
      sendEmailCampaignNow(campaign: { campaignId: number }): Promise<unknown>
      getSharedTemplateUrl(campaign: { campaignId: number }): Promise<{ sharedUrl: string }>
    }
  }
}

interface Verdict {
  status: { result: string; aligned?: string | false }
}

/** What is used of `mailauth`. */
export interface MailauthModule {
  authenticate(
    mail: Buffer,
    options: object,
  ): Promise<{
    dkim: { results: Array<Verdict & { signingHeaders?: { keys: string } }> }
    spf: Verdict | false
    dmarc: Verdict | false
  }>
}
