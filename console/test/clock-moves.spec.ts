import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserForAll, phone, visit } from './support/browser.js';
import { schedulePost, serveWorld, threeAccounts, type World } from './support/world.js';

const browser = browserForAll();
const dayMs = 86_400_000;
let world: World;

beforeEach(async () => {
  world = await serveWorld(threeAccounts);
});

afterEach(() => world.close());

describe('a move of the clock', () => {
  it('sets the field of the dialog to the new time, so that its button does not turn the clock back', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: /go to a time/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
    const field = dialog.getByLabel('Date and time');
    await expect.poll(() => field.inputValue()).toBe('2027-03-10T10:00');
    await dialog.getByRole('button', { name: '+1 week' }).click();
    await expect.poll(() => field.inputValue()).toBe('2027-03-17T10:00');
    await dialog.getByText('17 Mar 2027, 10:00 in Europe/Berlin.').waitFor();
    await dialog.getByRole('button', { name: '+1 day' }).click();
    await expect.poll(() => field.inputValue()).toBe('2027-03-18T10:00');
    const before = world.service.clock.now();
    await dialog.getByRole('button', { name: 'Go to this time' }).click();
    await dialog.getByText('It is 18 Mar 2027, 10:00. No post was due.').last().waitFor();
    expect(world.service.clock.now()).toBe(before);
    await leave();
  });

  it('shows the time after a step too', async () => {
    await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), `${world.url}#/calendar?tool=clock`);
    const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
    await dialog.getByRole('button', { name: 'Step to it' }).click();
    await expect.poll(() => dialog.getByLabel('Date and time').inputValue()).toBe('2027-03-10T11:00');
    await leave();
  });

  it.each([
    ['1440', undefined],
    ['390', phone],
  ])('says what happened to the posts that were due, at a width of %s', async (_, viewport) => {
    await schedulePost(world, 'The blue one');
    const { page, leave } = await visit(browser(), world.url, viewport === undefined ? {} : { viewport });
    await page.getByRole('button', { name: /go to a time/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
    await dialog.getByRole('button', { name: '+1 day' }).click();
    const notice = dialog.locator('.notice');
    await notice.getByText('It is 11 Mar 2027, 10:00. Posts: 1 partial.').waitFor();
    expect(await notice.getAttribute('class')).toContain('notice-bad');
    await notice.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('dialog', { name: /^Post post_/ }).waitFor();
    await leave();
  });

  it('by the hour, in the header, says it too, and shows the day of several posts', async () => {
    await schedulePost(world, 'The blue one', world.service.clock.now() + 15 * 3_600_000);
    await schedulePost(world, 'The green one', world.service.clock.now() + 15 * 3_600_000);
    await world.service.clock.set(new Date(world.service.clock.now() + 14.5 * 3_600_000));
    const { page, leave } = await visit(browser(), `${world.url}#/posts`);
    await page.getByRole('button', { name: 'Advance by 1 hour' }).click();
    const notice = page.locator('.notice');
    await notice.getByText('It is 11 Mar 2027, 01:30. Posts: 2 partial.').waitFor();
    await notice.getByRole('button', { name: 'Show' }).click();
    await page.getByText('2 posts: 2 partial').waitFor();
    expect(page.url()).toContain('day=2027-03-11');
    await leave();
  });

  it('back says that nothing was undone', async () => {
    const { page, leave } = await visit(browser(), world.url);
    await page.getByRole('button', { name: /go to a time/ }).click();
    const dialog = page.getByRole('dialog', { name: 'Clock of the emulator' });
    await dialog.getByLabel('Date and time').fill('2027-03-09T10:00');
    await dialog.getByRole('button', { name: 'Go to this time' }).click();
    await dialog.locator('.notice').getByText('The clock went back. Nothing was undone.').waitFor();
    expect(world.service.clock.now()).toBe(Date.parse('2027-03-10T09:00:00Z') - dayMs);
    await leave();
  });
});
