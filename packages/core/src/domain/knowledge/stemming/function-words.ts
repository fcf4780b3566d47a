/** The languages whose words are found in their other forms, by their ISO codes. */
export const stemmedLanguages = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'sv',
  'da',
  'no',
  'fi',
  'ru',
] as const
export type StemmedLanguage = (typeof stemmedLanguages)[number]

const list = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

/** Words that stand in most texts of a language and say nothing of what they are about, in lower case. */
export const functionWords: Readonly<Record<StemmedLanguage, ReadonlySet<string>>> = {
  en: list(`a about above after again against all am an and any are as at be because been before being below between both but by can did do
    does doing don down during each few for from further had has have having he her here hers herself him himself his how i if in
    into is it its itself just me more most my myself no nor not now of off on once only or other our ours ourselves out over own s
    same she should so some such t than that the their theirs them themselves then there these they this those through to too under
    until up very was we were what when where which while who whom why will with you your yours yourself yourselves`),
  de: list(`aber alle allem allen aller alles als also am an auch auf aus bei beim bin bis bist da damit dann das dass dein deine dem den der
    des dich die dies diese diesem diesen dieser dieses dir doch dort du durch ein eine einem einen einer eines er es etwas euch für
    gegen habe haben hat hatte hatten hier ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist jede jedem jeden jeder jedes
    kann kein keine keinen können man mein meine mich mir mit muss müssen nach nicht nichts noch nun nur ob oder ohne sehr sein
    seine seinen seiner seit sich sie sind so soll sollte über um und uns unser unsere unseren unter vom von vor war waren warum was
    weil welche wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur zwischen`),
  fr: list(`ai ainsi alors au aucun aussi autre aux avec avez avons car ce ceci cela celle celui ces cet cette ceux chaque chez comme comment
    dans de des donc dont du elle elles en encore entre est et était été être eux fait ici il ils je la le les leur leurs lui ma mais
    même mes moi mon ne ni nos notre nous on ont ou où par pas peu peut plus pour pourquoi qu quand que quel quelle quelles quels qui
    quoi sa sans se sera ses si son sont sous sur ta te tes toi ton tous tout toute toutes très tu un une vos votre vous`),
  es: list(`al algo alguno algunos ante antes aquel aquella así aún aunque cada como con contra cual cuales cuando de del desde donde dos
    durante el él ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos fue ha había han
    hasta hay la las le les lo los más me mi mientras mis mucho muy nada ni no nos nosotros nuestra nuestro o os otra otro otros para
    pero poco por porque que qué quien se sea según ser si sí sin sobre son su sus también tan te tiene tienen toda todas todo todos
    tu tus un una uno unos usted y ya yo`),
  it: list(`a ad agli ai al alla alle allo anche ancora avere c che chi ci ciò col come con contro cosa così cui da dagli dai dal dalla
    dalle degli dei del della delle dello di dopo dove due e ed era erano essere fa fra gli ha hanno ho i il in io la le lei li lo
    loro lui ma me mi mia mio molto ne negli nei nel nella nelle nello noi non nostra nostro o ogni per perché più però poi quale
    quando quella quelle quelli quello questa queste questi questo qui se senza si sia solo sono sopra sotto sua sue sugli sui sul
    sulla sulle suo suoi tra tutte tutti tutto un una uno vi voi`),
  pt: list(`a além ao aos aquela aquele aquilo as até cada com como da das de dela dele deles depois desde do dos e é ela elas ele eles em
    entre era eram essa essas esse esses esta está estão estas este estes eu foi foram há isso isto já la lhe lhes mais mas me mesmo
    meu minha muito na não nas nem no nos nós nossa nosso num numa o onde os ou para pela pelas pelo pelos por porque quais qual
    quando que quem se sem ser será seu seus só sob sobre sua suas também te tem têm tinha toda todas todo todos tu um uma umas uns
    você vocês`),
  nl: list(`aan al alle als altijd andere ben bij daar dan dat de der deze die dit doch doen door dus een en er ge geen haar had hebben heeft
    hem het hier hij hoe hun ik in is ja je jij jouw kan kunnen maar me meer men met mij mijn moet na naar niet niets nog nu of om
    omdat ons onze ook op over reeds te tegen toch toen tot u uit uw van veel voor want waren was wat we welke werd wezen wie wij wil
    worden wordt zal ze zelf zich zij zijn zo zonder zou`),
  sv: list(`alla allt är än andra att av bara blev bli blir de dem den denna deras dess dessa det detta dig din dina ditt du där då efter
    ej eller en er era ett eftersom från för före ha hade han hans har hela hennes hon honom hur här i icke inte ingen inom jag ju kan
    kunde man med mellan men mig min mina mitt mot mycket måste ni nu när någon något några och om oss på samma sedan ska skulle
    själv sig sin sina sitt som så till under upp ut utan vad var vara varför varit vem vi vid vilka vilken vår våra vårt över`),
  da: list(`ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din dine disse dog du efter eller en end
    er et for fra ham han hans har have havde hende hendes her hos hun hvad hvis hvor hvordan hvorfor i ikke ind ingen jeg jer jo kan kun
    kunne man mange med meget men mellem mig min mine mit mod ned noget nogle nogen nu når og også om op os over på sådan selv sig sin
    sine sit skal skulle som til ud uden under var ved vi vil ville vor være været`),
  no: list(`alle alt andre at av bare begge ble blei bli blir da de deg dem den denne der deres det dette din disse ditt du eller en enn er
    et etter for fordi fra før ha hadde han hans har henne hennes her hos hun hva hvem hver hvilke hvilken hvis hvor hvordan hvorfor i
    ikke ingen inn jeg kan kun kunne man mange med meg mellom men mer min mitt mot mye må noe noen nå når og også om opp oss over på
    samme seg selv si sin sine sitt skal skulle slik som så til ut uten var ved vi vil ville vår være vært`),
  fi: list(`ei eikä eivät eli emme en että ettei etten he hän häntä häneen ja jo joka joiden joissa joita joka jonka jos jossa jota jotka
    kaikki kanssa keitä kuin kuinka kuka kun kuten me meidän meille mihin mikä miksi missä mitä mitkä mukaan muut mutta myös ne niiden
    niille niin niitä noin nyt olen oleva oli olisi olivat olla ollut olette on onko ovat pois se sekä sen sillä sitä sitten tai te
    teidän tuo tämä tämän tässä tätä vaan vai vain vaikka voi`),
  ru: list(`а без более был была были было быть в вам вас весь во вот все всего всех вы где да даже для до его ее если есть еще же за здесь и
    из или им их к как ко когда который которая которые кто ли либо между меня мне может мы на над надо наш не него нее нет ни них но
    о об однако он она они оно от очень по под при с со так также такой там те тем то того тоже той только том ты у уже хотя чего
    чей чем что чтобы эта эти это этот этого этой я`),
}
