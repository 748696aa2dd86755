import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, startTestApp, type TestApp } from '../../../support/app.ts';
import { compositionCounts, saveCounts } from '../../../support/composition-counts.ts';
import { expectProblem } from '../../../support/http.ts';
import {
  type AudiencePartner,
  audiencePartner,
  audiencesPath,
  versions,
} from '../../../support/http-audiences.ts';

let service: TestApp;
beforeAll(async () => {
  service = await startTestApp();
});
afterAll(() => service[Symbol.asyncDispose]());

interface Counted {
  readonly universe: number;
  readonly unique: number;
  readonly matched: number;
  /** For each attribute by id: its devices, and its devices in the audience. */
  readonly attributes: Record<number, readonly [baseline: number, audience: number]>;
}

/** An audience with a report of these counts, as a worker would save it. */
async function reported(counted: Counted, by?: AudiencePartner) {
  const partner = by ?? (await audiencePartner(service));
  const { records } = service;
  const audienceId = await partner.create();
  const basis = (await records.compositions.bases([audienceId])).get(audienceId)!;
  const attributes = await attributesNow(service);
  const ids = new Map(attributes.map(({ attributeId, segmentId }) => [segmentId, attributeId]));
  const countsOf = (segmentId: number) => counted.attributes[ids.get(segmentId)!] ?? [0, 0];
  const report = {
    ...basis,
    universe: { ...basis.universe, devices: counted.universe },
    audience: { ...basis.audience, devices: counted.unique },
    attributes: attributes.map(({ segmentId }) => ({
      segmentId,
      version: 1,
      devices: countsOf(segmentId)[0],
      partnerId: basis.partnerId,
    })),
  };
  const counts = compositionCounts(
    report,
    counted.matched,
    attributes.map(({ segmentId }) => countsOf(segmentId)[1]),
  );
  expect(await saveCounts(records, report, counts, { evenIfStale: true })).toBe(true);
  const get = (accept = 'application/json', version = '/v2', query = '') =>
    partner.call('GET', `${version}/firstparty/audience/${audienceId}/composition${query}`, {
      headers: { accept },
    });
  return { ...partner, audienceId, get };
}

function attributesNow({ database }: TestApp) {
  return database.db
    .selectFrom('attribute')
    .select(['attribute_id as attributeId', 'segment_id as segmentId'])
    .execute();
}

async function attribute(name: string): Promise<number> {
  const { partnerId } = await audiencePartner(service);
  return service.records.attributes.create(partnerId, {
    name,
    description: '',
    partnerForeignKey: null,
  });
}

async function supplierOf(attributeId: number): Promise<number> {
  const { partner_id } = await service.database.db
    .selectFrom('attribute')
    .select('partner_id')
    .where('attribute_id', '=', attributeId)
    .executeTakeFirstOrThrow();
  return partner_id;
}

function attributeIn({ attributes }: Answer['body'], attributeId: number) {
  return attributes.find((one: { attribute_id: number }) => one.attribute_id === attributeId);
}

const attributeMembers = [
  'attribute_id',
  'name',
  'partner_id',
  'audience_devices',
  'audience_share',
  'audience_share_low',
  'audience_share_high',
  'baseline_devices',
  'baseline_share',
  'index',
  'index_low',
  'index_high',
  'z',
  'q',
  'exact',
  'suppressed',
];

test('an unchanged report is not sent again', async () => {
  const { audienceId, call, get } = await reported({
    universe: 100,
    unique: 60,
    matched: 60,
    attributes: {},
  });
  const { headers } = await get();
  const known = { headers: { 'if-none-match': headers.get('etag')! } };
  const path = `${audiencesPath}/${audienceId}/composition`;
  expect((await call('GET', path, known)).status).toBe(304);
  await attribute('New');
  expect((await call('GET', path, known)).status).toBe(200);
});

test('there is no report before the first computation and after a clear', async () => {
  const { audienceId, call, get } = await reported({
    universe: 0,
    unique: 0,
    matched: 0,
    attributes: {},
  });
  expect((await get()).status).toBe(200);
  await call('PUT', `${audiencesPath}/${audienceId}`);
  expectProblem(await get(), 404, 'not_computed_yet');
  expectProblem(await get('text/csv'), 404, 'not_computed_yet');
});

test('a report has exactly the documented fields, for attributes of every partner', async () => {
  const [tea, tin, few] = [await attribute('Tea'), await attribute('Tin'), await attribute('Few')];
  const { audienceId, get } = await reported({
    universe: 10_000,
    unique: 1_250,
    matched: 1_000,
    attributes: { [tea]: [1_000, 200], [tin]: [5_000, 980], [few]: [300, 49] },
  });
  const { status, headers, body } = await get();
  expect(status).toBe(200);
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(headers.get('vary')).toMatch(/^accept\b/);
  expect(Object.keys(body)).toEqual([
    'audience_id',
    'default_warehouse_segment_id',
    'computed_at',
    'universe_version',
    'stale',
    'disclosure',
    'universe_devices',
    'unique_devices',
    'matched_devices',
    'baseline',
    'suppliers',
    'attributes',
    'events',
  ]);
  expect(body).toMatchObject({
    audience_id: audienceId,
    default_warehouse_segment_id: expect.any(Number),
    computed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    universe_version: 0,
    stale: false,
    universe_devices: 10_000,
    unique_devices: 1_250,
    matched_devices: 1_000,
    baseline: { choice: 'universe', name: null, devices: 10_000, audience_devices: 1_000 },
    events: [],
  });
  const by = (id: number) => attributeIn(body, id);
  expect(Object.keys(by(tea))).toEqual(attributeMembers);
  expect(by(tea)).toEqual({
    attribute_id: tea,
    name: 'Tea',
    partner_id: await supplierOf(tea),
    audience_devices: 200,
    audience_share: 0.2,
    audience_share_low: expect.closeTo(0.1764, 4),
    audience_share_high: expect.closeTo(0.2259, 4),
    baseline_devices: 1_000,
    baseline_share: 0.1,
    index: 200,
    index_low: expect.closeTo(178.73, 2),
    index_high: expect.closeTo(223.8, 2),
    z: expect.closeTo(11.1111111, 6),
    // The only attribute with a z.
    q: expect.closeTo(1.1077e-28, 32),
    exact: true,
    suppressed: null,
  });
  const hidden = {
    audience_devices: null,
    audience_share: null,
    audience_share_low: null,
    audience_share_high: null,
    index: null,
    index_low: null,
    index_high: null,
    z: null,
    q: null,
    exact: true,
  };
  expect(by(tin)).toEqual({
    attribute_id: tin,
    name: 'Tin',
    partner_id: await supplierOf(tin),
    ...hidden,
    baseline_devices: 5_000,
    baseline_share: 0.5,
    suppressed: 'too_few_others',
  });
  expect(by(few)).toMatchObject({
    ...hidden,
    baseline_devices: 300,
    suppressed: 'too_few_devices',
  });
});

test('the history lists changes with their figures, and without what a report withholds', async () => {
  const [common, rare] = [await attribute('Common'), await attribute('Rare')];
  const { audienceId, call } = await reported({
    universe: 10_000,
    unique: 1_250,
    matched: 1_000,
    attributes: { [common]: [1_000, 200], [rare]: [100, 49] },
  });
  for (const version of versions) {
    const path = `${version}/firstparty/audience/${audienceId}/history`;
    const { status, body } = await call('GET', path);
    expect(status).toBe(200);
    expect(body).toEqual([
      {
        number: 1,
        changed_at: expect.stringMatching(/^\d{4}-.*Z$/),
        reasons: [],
        unique_devices: 1_250,
        matched_devices: 1_000,
        match_rate: 0.8,
        universe_devices: 10_000,
        top_attributes: [
          {
            attribute_id: common,
            name: 'Common',
            audience_devices: 200,
            audience_share: 0.2,
            index: 200,
          },
        ],
      },
    ]);
    expect((await call('GET', `${path}?after=1`)).body).toEqual([]);
  }
  await call('PUT', `${audiencesPath}/${audienceId}`);
  const page = await call('GET', `${audiencesPath}/${audienceId}/history?limit=1`);
  expect(page.body).toMatchObject([{ number: 2, reasons: ['clear'], match_rate: null }]);
  expect(page.headers.get('link')).toBe(
    `<${audiencesPath}/${audienceId}/history?limit=1&after=2>; rel="next"`,
  );
  const stranger = await audiencePartner(service);
  const theirs = await stranger.call('GET', `${audiencesPath}/${audienceId}/history`);
  expectProblem(theirs, 404, 'not_found');
});

test('q is the false discovery rate among all attributes of the report that have a z', async () => {
  const ids = [await attribute('One'), await attribute('Two'), await attribute('Three')];
  const [one, two, three] = ids as [number, number, number];
  const { get } = await reported({
    universe: 10_000,
    unique: 1_000,
    matched: 1_000,
    attributes: { [one]: [1_000, 130], [two]: [1_000, 115], [three]: [1_000, 20] },
  });
  const { body } = await get();
  const [first, second] = [attributeIn(body, one), attributeIn(body, two)];
  // z = 10/3 and 5/3, whose two-sided probabilities are 0.000858 and 0.0955.
  expect(first).toMatchObject({ z: expect.closeTo(10 / 3), q: expect.closeTo(2 * 0.000858, 5) });
  expect(second).toMatchObject({ z: expect.closeTo(5 / 3), q: expect.closeTo(0.0956, 4) });
  expect(attributeIn(body, three)).toMatchObject({ z: null, q: null });
});

describe('compared with another baseline', () => {
  const sizes = { universe: 10_000, unique: 1_000, matched: 1_000 };

  test('a supplier: only its attributes, among the devices that it knows', async () => {
    const [tea, milk] = [await attribute('Tea'), await attribute('Milk')];
    const { audienceId, get } = await reported({
      ...sizes,
      attributes: { [tea]: [1_000, 200], [milk]: [1_000, 300] },
    });
    const partnerId = await supplierOf(tea);
    const ask = (accept = 'application/json') =>
      get(accept, '/v2', `?baseline=partner:${partnerId}`);
    const waiting = await ask();
    expectProblem(waiting, 404, 'not_computed_yet');
    expect(waiting.headers.get('retry-after')).toBe('2');
    expect(waiting.body.detail).toMatch(/are being counted\. Try again/);

    const { baselines } = service.records;
    const pair = { audienceId, partnerId };
    expect(await baselines.outdated(100)).toContainEqual(pair);
    const basis = (await baselines.basis(pair))!;
    await baselines.save(pair, basis, { supplierDevices: 2_000, audienceDevices: 400 });
    const { body } = await ask();
    const name = body.suppliers.find(
      (one: { partner_id: number }) => one.partner_id === partnerId,
    ).name;
    expect(body).toMatchObject({
      stale: false,
      universe_devices: 10_000,
      matched_devices: 1_000,
      baseline: { choice: `partner:${partnerId}`, name, devices: 2_000, audience_devices: 400 },
    });
    // Twice as common as in the universe, but not among the devices that the supplier knows.
    expect(body.attributes).toMatchObject([
      {
        attribute_id: tea,
        partner_id: partnerId,
        audience_share: 0.5,
        baseline_share: 0.5,
        index: 100,
      },
    ]);
    const lines = (await ask('text/csv')).text.split('\r\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`${tea},Tea,${partnerId},200,0.5,`);
  });

  test('another audience of the same customer', async () => {
    const tea = await attribute('Tea');
    const partner = await audiencePartner(service);
    const other = await reported({ ...sizes, attributes: { [tea]: [2_000, 400] } }, partner);
    const { get } = await reported({ ...sizes, attributes: { [tea]: [2_000, 200] } }, partner);
    const choice = `audience:${other.audienceId}`;
    const { body } = await get(undefined, undefined, `?baseline=${choice}`);
    expect(body.baseline).toEqual({
      choice,
      name: 'Summer sale',
      devices: 1_000,
      audience_devices: 1_000,
    });
    expect(attributeIn(body, tea)).toMatchObject({
      audience_share: 0.2,
      baseline_devices: 400,
      baseline_share: 0.4,
      index: 50,
      z: expect.closeTo(-9.759, 3),
    });
  });

  test('is refused with a plain error if there is no such baseline', async () => {
    const empty = await attribute('Empty');
    const partner = await audiencePartner(service);
    const { audienceId, get } = await reported({ ...sizes, attributes: {} }, partner);
    const ask = (choice: string) => get(undefined, undefined, `?baseline=${choice}`);
    for (const choice of ['', 'all', 'partner:', 'partner:x', 'audience:-1', 'universe:1']) {
      expectProblem(await ask(choice), 400, 'invalid_input');
    }
    const stranger = await reported({ ...sizes, attributes: {} });
    for (const choice of ['partner:999999', `audience:${stranger.audienceId}`, 'audience:999999']) {
      expectProblem(await ask(choice), 404, 'not_found');
    }
    const nothing = await ask(`partner:${await supplierOf(empty)}`);
    expectProblem(nothing, 400, 'invalid_input');
    expect(nothing.body.detail).toMatch(/No attribute of the supplier .* has devices/);
    const itself = await ask(`audience:${audienceId}`);
    expectProblem(itself, 400, 'invalid_input');
    expect(itself.body.detail).toMatch(/cannot be compared with itself/);
    const { userToken } = await partner.customerToken();
    const theirs = await partner.create({}, { headers: { 'x-user-token': userToken } });
    const foreign = await ask(`audience:${theirs}`);
    expectProblem(foreign, 400, 'invalid_input');
    expect(foreign.body.detail).toMatch(/belongs to another customer/);
    const fresh = await partner.create();
    expectProblem(await ask(`audience:${fresh}`), 404, 'not_computed_yet');
  });
});

test('the report is the same in both versions', async () => {
  const { get } = await reported({ universe: 100, unique: 60, matched: 60, attributes: {} });
  const [one, other] = await Promise.all(versions.map((version) => get('*/*', version)));
  expect(other!.text).toBe(one!.text);
});

test('an audience that is too small has only baseline figures', async () => {
  const id = await attribute('Window');
  const { get } = await reported({
    universe: 200,
    unique: 80,
    matched: 49,
    attributes: { [id]: [100, 25] },
  });
  const { body } = await get();
  expect(body.attributes.at(-1)).toMatchObject({
    name: 'Window',
    baseline_devices: 100,
    baseline_share: 0.5,
    audience_devices: null,
    suppressed: 'audience_too_small',
  });
});

test('an attribute created after the computation has no devices', async () => {
  const { get } = await reported({ universe: 100, unique: 60, matched: 60, attributes: {} });
  const id = await attribute('New');
  const { body } = await get();
  expect(body.attributes.at(-1)).toMatchObject({ attribute_id: id, baseline_devices: 0 });
});

test('event labels with any text have their own counts', async () => {
  const { audienceId, beginLoad, call } = await audiencePartner(service).then(async (partner) => ({
    ...partner,
    audienceId: await partner.create(),
  }));
  await beginLoad();
  const { audienceLabels, compositions, inTransaction } = service.records;
  const labels = ['purchase', 'ünïcode 😀', 'nul \0 "quoted"'];
  const segmentIds = await audienceLabels.reserveSegments(labels.length);
  await inTransaction((tx) =>
    tx.audienceLabels.add(
      audienceId,
      labels.map((label, n) => ({ label, segmentId: segmentIds[n]! })),
    ),
  );
  const basis = (await compositions.bases([audienceId])).get(audienceId)!;
  const devices = new Map(segmentIds.map((segmentId, n) => [segmentId, (n + 1) * 10]));
  const report = {
    ...basis,
    audience: { ...basis.audience, devices: 40 },
    labels: basis.labels.map(({ segmentId }) => ({ segmentId, devices: devices.get(segmentId)! })),
  };
  const counts = compositionCounts(
    basis,
    0,
    basis.attributes.map(() => 0),
  );
  await saveCounts(service.records, report, counts, { evenIfStale: true });
  const { body } = await call('GET', `${audiencesPath}/${audienceId}/composition`);
  expect(body.events).toEqual(
    labels.map((label, n) => ({ label, devices: (n + 1) * 10, share: (n + 1) / 4 })),
  );
});

describe('as CSV', () => {
  test('the columns are the fields of an attribute, and null is empty', async () => {
    const [tea, formula] = [await attribute('Tea, "green"'), await attribute('=1+1')];
    const { audienceId, get } = await reported({
      universe: 10_000,
      unique: 1_000,
      matched: 1_000,
      attributes: { [tea]: [2_000, 100], [formula]: [10, 10] },
    });
    const { status, headers, text } = await get('text/csv');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('vary')).toMatch(/^accept\b/);
    expect(headers.get('content-disposition')).toBe(
      `attachment; filename="audience-${audienceId}-composition.csv"`,
    );
    const lines = text.split('\r\n');
    expect(lines[0]).toBe(attributeMembers.join());
    expect(lines.at(-1)).toBe('');
    const rows = lines.slice(1, -1);
    const { body } = await get();
    expect(rows).toHaveLength(body.attributes.length);
    const cell = attributeIn(body, tea);
    expect(rows.find((row) => row.startsWith(`${tea},`))).toBe(
      `${tea},"Tea, ""green""",${cell.partner_id},100,0.1,${cell.audience_share_low},${cell.audience_share_high},2000,0.2,50,${cell.index_low},${cell.index_high},${cell.z},${cell.q},true,`,
    );
    expect(cell.z).toBeLessThan(0);
    expect(rows.find((row) => row.startsWith(`${formula},`))).toBe(
      `${formula},'=1+1,${attributeIn(body, formula).partner_id},,,,,10,0.001,,,,,,true,too_few_devices`,
    );
  });

  test('it is returned if the client prefers it', async () => {
    const { get } = await reported({ universe: 0, unique: 0, matched: 0, attributes: {} });
    const typeFor = async (accept: string) => (await get(accept)).headers.get('content-type');
    expect(await typeFor('*/*')).toMatch(/json/);
    expect(await typeFor('text/csv, application/json;q=0.9')).toMatch(/csv/);
    expect(await typeFor('text/html')).toMatch(/json/);
  });
});

test('the suppression threshold is configurable', async () => {
  await using open = await startTestApp({ disclosure: { threshold: 0 } });
  const partner = await audiencePartner(open);
  const audienceId = await partner.create();
  await open.records.attributes.create(partner.partnerId, {
    name: 'Tea',
    description: '',
    partnerForeignKey: null,
  });
  const basis = (await open.records.compositions.bases([audienceId])).get(audienceId)!;
  const report = {
    ...basis,
    universe: { ...basis.universe, devices: 10 },
    attributes: (await attributesNow(open)).map(({ segmentId }) => ({
      segmentId,
      version: 1,
      devices: 5,
      partnerId: basis.partnerId,
    })),
  };
  const counts = compositionCounts(report, 4, [1]);
  await saveCounts(open.records, report, counts, { evenIfStale: true });
  const { body } = await partner.call('GET', `${audiencesPath}/${audienceId}/composition`);
  expect(body.attributes).toMatchObject([{ audience_devices: 1, index: 50, suppressed: null }]);
});

test('a report of many attributes is complete, as JSON and as CSV', async () => {
  await using wide = await startTestApp();
  const { partnerId, create, call } = await audiencePartner(wide);
  const audienceId = await create();
  const empty = { name: 'Empty', description: '', partnerForeignKey: null };
  await wide.records.attributes.createAll(partnerId, Array(2_100).fill(empty));
  const basis = (await wide.records.compositions.bases([audienceId])).get(audienceId)!;
  const counts = compositionCounts(basis, 0, []);
  await saveCounts(wide.records, basis, counts, { evenIfStale: true });
  const path = `${audiencesPath}/${audienceId}/composition`;
  const { body } = await call('GET', path);
  const ids = (await attributesNow(wide)).map(({ attributeId }) => attributeId);
  expect(body.attributes.map((one: { attribute_id: number }) => one.attribute_id)).toEqual(ids);
  expect(Object.keys(body).at(-1)).toBe('events');
  const csv = await call('GET', path, { headers: { accept: 'text/csv' } });
  expect(csv.text.split('\r\n')).toHaveLength(ids.length + 2);
});
