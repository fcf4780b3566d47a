/** A page of Meta's rows, which may be followed by another. */
export interface Cursor extends Array<{ _data: Record<string, unknown> }> {
  hasNext(): boolean
  next(): Promise<Cursor>
}

/** What is used of `facebook-nodejs-business-sdk`. */
export interface MetaModule {
  FacebookAdsApi: { init(token: string): unknown }
  AdAccount: new (id: string) => { getCampaigns(fields: string[], params: object): Promise<Cursor> }
  Campaign: new (
    id: string,
  ) => {
    update(fields: string[], params: object): Promise<unknown>
    getInsights(fields: string[], params: object): Promise<Cursor>
  }
  User: new (id: string) => { getAdAccounts(fields: string[], params: object): Promise<Cursor> }
}

/** What is used of `linkedin-api-client`. */
export interface LinkedinModule {
  RestliClient: new () => {
    finder(options: object): Promise<{ data: { elements: unknown[] } }>
    partialUpdate(options: object): Promise<unknown>
  }
}

/** What is used of Google's clients. */
export interface GoogleModule {
  analyticsdata(options: object): {
    properties: { runReport(request: object): Promise<{ data: { rows?: unknown[] } }> }
  }
  searchconsole(options: object): {
    sites: { list(): Promise<{ data: { siteEntry?: Array<{ siteUrl: string }> } }> }
    searchanalytics: { query(request: object): Promise<{ data: { rows?: unknown[] } }> }
  }
}

interface ProtoField {
  name: string
  repeated: boolean
  resolvedType: (ProtoType & { values?: Record<string, number> }) | null
  resolve(): ProtoField
}

export interface ProtoType {
  fields: Record<string, ProtoField>
  fromObject(object: object): object
  toObject(message: object, options: object): object
}

/** What is used of `protobufjs`. */
export interface ProtobufModule {
  Root: { fromJSON(json: object): { lookupType(name: string): ProtoType } }
}
