import {
  dropChange as discardChange,
  updatePublication,
} from '../../domain/delivery/publishing/change/people.ts'
import { LinkTagsSetting, LinkTagsView } from '../../domain/delivery/publishing/link-tags/schemas.ts'
import {
  setLinkTags as changeLinkTags,
  getLinkTags,
} from '../../domain/delivery/publishing/link-tags/setting.ts'
import { showPublication } from '../../domain/delivery/publishing/metrics/queries.ts'
import { PublicationView } from '../../domain/delivery/publishing/metrics/schemas.ts'
import {
  cancelPublication,
  reconcilePublication,
  retryPublication,
} from '../../domain/delivery/publishing/people.ts'
import { SlotsChange, SlotsView } from '../../domain/delivery/publishing/plan/schemas.ts'
import { getSlots, setSlots as set } from '../../domain/delivery/publishing/plan/slots.ts'
import { previewPiece } from '../../domain/delivery/publishing/previews.ts'
import { listPublications } from '../../domain/delivery/publishing/queries.ts'
import { createPublication } from '../../domain/delivery/publishing/schedule.ts'
import {
  NewPublication,
  PreviewList,
  PreviewQuery,
  PublicationItem,
  PublicationPage,
  PublicationQuery,
  ReconcileInput,
} from '../../domain/delivery/publishing/schemas.ts'
import { endpoint } from '../../gateway/endpoint.ts'
import { admins, team } from './access.ts'

export const list = endpoint({
  id: 'dashboard.publications.list',
  route: 'GET /publications',
  summary: 'The pieces on their way to channels, and those that are out, newest first',
  access: team,
  query: PublicationQuery,
  reply: { 200: PublicationPage },
}).handle((ctx, { query }) => listPublications(ctx, query))

export const create = endpoint({
  id: 'dashboard.publications.create',
  route: 'POST /publications',
  summary: 'Publish an approved piece on a channel, at once or at an instant',
  access: admins,
  body: NewPublication,
  reply: { 201: PublicationItem },
  errors: ['CONFLICT', 'UNPROCESSABLE', 'NOT_FOUND'],
  audit: 'publication.create',
}).handle((ctx, { body }) => createPublication(ctx, body))

export const get = endpoint({
  id: 'dashboard.publications.get',
  route: 'GET /publications/:publicationId',
  summary: 'One piece on its way to a channel, and what became of it',
  access: team,
  reply: { 200: PublicationView },
}).handle((ctx, { params }) => showPublication(ctx, params.publicationId))

export const retry = endpoint({
  id: 'dashboard.publications.retry',
  route: 'POST /publications/:publicationId/retry',
  summary: 'Let a publication go on that has failed or is held',
  access: admins,
  reply: { 200: PublicationItem },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'publication.retry',
}).handle((ctx, { params }) => retryPublication(ctx, params.publicationId))

export const reconcile = endpoint({
  id: 'dashboard.publications.reconcile',
  route: 'POST /publications/:publicationId/reconcile',
  summary: 'Say what has become of a publication, or have the platform asked once more',
  access: admins,
  body: ReconcileInput,
  reply: { 200: PublicationItem },
  errors: ['CONFLICT'],
  audit: 'publication.reconcile',
}).handle((ctx, { params, body }) => reconcilePublication(ctx, params.publicationId, body))

export const cancel = endpoint({
  id: 'dashboard.publications.cancel',
  route: 'POST /publications/:publicationId/cancel',
  summary: 'Withdraw a publication; what is out is taken back where the platform can',
  access: admins,
  reply: { 200: PublicationItem },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'publication.cancel',
}).handle((ctx, { params }) => cancelPublication(ctx, params.publicationId))

export const update = endpoint({
  id: 'dashboard.publications.update',
  route: 'POST /publications/:publicationId/update',
  summary: 'Put the newest approved text into the place of the one that is out, in the same post',
  access: admins,
  reply: { 200: PublicationItem },
  errors: ['CONFLICT', 'UNPROCESSABLE'],
  audit: 'publication.update',
}).handle((ctx, { params }) => updatePublication(ctx, params.publicationId))

export const dropChange = endpoint({
  id: 'dashboard.publications.drop_change',
  route: 'DELETE /publications/:publicationId/change',
  summary: 'Drop a newer text that waits to be put in; the post stays as it is',
  access: admins,
  reply: { 200: PublicationItem },
  errors: ['CONFLICT'],
  audit: 'publication.change_dropped',
}).handle((ctx, { params }) => discardChange(ctx, params.publicationId))

export const slots = endpoint({
  id: 'dashboard.publications.slots',
  route: 'GET /publications/slots',
  summary: 'The times at which pieces go out for which nobody has named one',
  access: team,
  reply: { 200: SlotsView },
}).handle((ctx) => getSlots(ctx))

export const setSlots = endpoint({
  id: 'dashboard.publications.set_slots',
  route: 'PUT /publications/slots',
  summary: 'Set those times; without any, pieces go out as soon as they are approved',
  access: admins,
  body: SlotsChange,
  reply: { 200: SlotsView },
  audit: 'publication.slots_set',
}).handle((ctx, { body }) => set(ctx, body))

export const linkTags = endpoint({
  id: 'dashboard.publications.link_tags',
  route: 'GET /publications/link-tags',
  summary: 'Links to which websites say where their readers come from',
  access: team,
  reply: { 200: LinkTagsView },
}).handle((ctx) => getLinkTags(ctx))

export const setLinkTags = endpoint({
  id: 'dashboard.publications.set_link_tags',
  route: 'PUT /publications/link-tags',
  summary: 'Set those websites; without any, links go out as they are written',
  description:
    'Links in posts and newsletters to these hosts, and to hosts below them, are given `utm_source`, `utm_medium` and `utm_campaign`, except those that have parameters of that kind, and those of a post that would become too long.',
  access: admins,
  body: LinkTagsSetting,
  reply: { 200: LinkTagsView },
  audit: 'publication.link_tags_set',
}).handle((ctx, { body }) => changeLinkTags(ctx, body))

export const previews = endpoint({
  id: 'dashboard.publications.previews',
  route: 'GET /activities/:activityId/previews',
  summary: 'How the newest text of an activity would look on each kind of channel, and whether it fits',
  access: team,
  query: PreviewQuery,
  reply: { 200: PreviewList },
  errors: ['UNPROCESSABLE'],
}).handle((ctx, { params, query }) => previewPiece(ctx, params.activityId, query))
