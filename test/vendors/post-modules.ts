/** An object of Meta's, with what was answered. */
interface Node {
  _data: Record<string, unknown>
}
type Nodes = Promise<Node[]>
type Reads = (fields: string[], params: object) => Nodes
type Makes = (fields: string[], params: object) => Promise<Node>
type NodeClass<M> = new (id: string) => M & { get(fields: string[]): Promise<Node> }

/** What is used of `facebook-nodejs-business-sdk` for posts. */
export interface GraphModule {
  FacebookAdsApi: { init(token: string): unknown }
  User: NodeClass<{ getAccounts: Reads }>
  Page: NodeClass<{ createPhoto: Makes; createFeed: Makes; getPublishedPosts: Reads; getInsights: Reads }>
  PagePost: NodeClass<{ getInsights: Reads; update: Makes; delete(fields: string[]): Promise<unknown> }>
  IGUser: NodeClass<{
    getContentPublishingLimit: Reads
    createMedia: Makes
    createMediaPublish: Makes
    getMedia: Reads
  }>
  IGMedia: NodeClass<{ getInsights: Reads }>
}

/** What is used of `linkedin-api-client` for posts. */
export interface PostsModule {
  RestliClient: new () => {
    finder(options: object): Promise<{ data: { elements: unknown[] } }>
    create(options: object): Promise<{ createdEntityId: unknown }>
    partialUpdate(options: object): Promise<unknown>
    delete(options: object): Promise<unknown>
  }
}

/** What is used of `@googleapis/businessprofileperformance`. */
export interface PlacesModule {
  businessprofileperformance(options: object): {
    locations: {
      fetchMultiDailyMetricsTimeSeries(request: object): Promise<{
        data: {
          multiDailyMetricTimeSeries?: Array<{
            dailyMetricTimeSeries?: Array<{ timeSeries?: { datedValues?: object[] } }>
          }>
        }
      }>
    }
  }
}

interface MastodonStatus {
  id: string
  url: string
}

/** What is used of `masto`. */
export interface MastodonModule {
  createRestAPIClient(options: { url: string; accessToken: string }): {
    v1: {
      accounts: {
        verifyCredentials(): Promise<object>
        $select(id: string): { statuses: { list(query: object): Promise<MastodonStatus[]> } }
      }
      statuses: {
        create(status: object, more: object): Promise<MastodonStatus>
        $select(id: string): {
          fetch(): Promise<object>
          update(status: object): Promise<object>
          remove(): Promise<unknown>
        }
      }
    }
    v2: {
      instance: { fetch(): Promise<{ configuration: { statuses: { maxCharacters: number } } }> }
      media: { create(file: object): Promise<{ id: string }> }
    }
  }
}

type Called<T> = Promise<{ data: T }>

/** What is used of `@atproto/api`. */
export interface BlueskyModule {
  AtpAgent: new (options: {
    service: string
  }) => {
    session?: { did: string }
    login(login: object): Promise<unknown>
    uploadBlob(bytes: Uint8Array, options: object): Called<{ blob: unknown }>
    com: {
      atproto: {
        repo: {
          putRecord(input: object): Called<{ uri: string }>
          getRecord(place: object): Called<{ value: unknown }>
          deleteRecord(place: object): Called<unknown>
        }
      }
    }
    app: { bsky: { feed: { getPosts(query: object): Called<{ posts: unknown[] }> } } }
  }
}
