/** The texts of the demo: a coffee roaster, Birch & Bean, and its customers. */

export const captions: readonly string[] = [
  'New on the shelf: our spring espresso from Huehuetenango. Cherry, cocoa, a long finish.',
  'How coarse should you grind for a pour-over? Swipe for the five settings we use behind the bar.',
  'Behind the roaster: twelve minutes that decide how your cup tastes.',
  'We are open this Sunday from 10 to 18. The cinnamon buns come out at 11.',
  'Comment GUIDE and we send you our brew guide by message.',
  'Meet Ines, who has roasted every one of our coffees since 2019.',
  'Decaf that does not taste like decaf. We looked for it for two years.',
  'Three ways to make iced coffee at home, none of which needs a machine.',
  'Saturday cupping: eight places, six coffees, one hour. Link in our profile.',
  'The rain is back, and so is our winter blend.',
  'We changed our bags: less plastic, same valve. Tell us how you like them.',
  'What does "washed" mean on the label? A short explanation.',
  'Our café has a new table. It was a door once.',
  'From cherry to cup: our trip to the washing station at Guji.',
  'Filter of the week: Kenya Kirinyaga. Blackcurrant, and not shy about it.',
  'Comment SUMMER for a code that is good for one bag.',
  'Latte art, attempt 412. Marta still wins.',
  'Thank you for 10,000 bags this year.',
  'We answer your questions about water, part one: hardness.',
  'Free refills on filter coffee before nine, all week.',
];

export const remarks: readonly string[] = [
  'This looks so good!',
  'guide',
  'Do you ship to Austria?',
  'I had this one last week, lovely.',
  'Which grinder is that?',
  'summer',
  'Is there oat milk at the café?',
  'My favourite so far.',
  'What temperature do you use?',
  'Can I bring my dog?',
  'Ordered two bags.',
  'When is the next cupping?',
  'The old bags were prettier, sorry.',
  'hours?',
  'Finally a good decaf.',
];

export const thanks: readonly string[] = [
  'Thank you! See you soon.',
  'We do, it takes three days.',
  'Glad you like it.',
  'Sent you a message.',
  '93 degrees, and a little patience.',
  'Of course, there is water at the door.',
];

/** Conversations, each beginning with the customer. */
export const directMessages: readonly (readonly string[])[] = [
  ['Hi! Is the Guji still in stock?', 'Hello, yes, about twenty bags are left.', 'Great, I will come by tomorrow.'],
  [
    'My order came with the wrong grind.',
    'We are sorry! Could you tell us the order number?',
    'It is 20418.',
    'A new bag is on its way.',
  ],
  ['Do you have a table for six on Saturday?'],
  ['What is the difference between the two decafs?', 'The Colombian one is sweeter, the Mexican one lighter.'],
  ['Thanks for the guide!', 'You are welcome. Let us know how it goes.'],
  ['Can you grind for a moka pot?', 'Sure, choose "moka" when you order.', 'Found it, thank you.'],
];

export const people: readonly { readonly name: string; readonly username: string }[] = [
  { name: 'Ana Ruiz', username: 'ana.ruiz' },
  { name: 'Ben Okafor', username: 'benokafor' },
  { name: 'Clara Lind', username: 'claralind' },
  { name: 'Deniz Kaya', username: 'deniz_k' },
  { name: 'Elif Arslan', username: 'elifar' },
  { name: 'Farid Haddad', username: 'farid.h' },
  { name: 'Greta Holm', username: 'gretaholm' },
  { name: 'Hugo Marchand', username: 'hugo.m' },
  { name: 'Iris Novak', username: 'irisnovak' },
  { name: 'Jonas Weber', username: 'jonas_weber' },
  { name: 'Keiko Mori', username: 'keikomori' },
  { name: 'Liam Byrne', username: 'liambyrne' },
];
