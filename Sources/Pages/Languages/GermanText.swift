/// The sentences of config/languages/de.txt, written here by Tests/ConfigurationTests/embed_languages.py.
enum GermanText {
    static let text = """
        # Was die Seiten des Gateways sagen, auf Deutsch; siehe en.txt.

        # Auf jeder Seite
        page.error: Fehler
        page.request_id: Kennung der Anfrage
        page.decision_id: Kennung der Entscheidung
        page.contact: Kontakt
        page.advice: Was Sie tun können
        page.causes: Woran es wahrscheinlich liegt
        page.by_itself: Diese Seite versucht es von selbst noch einmal.
        page.posted: Was Sie gesendet haben, ist vielleicht nicht angekommen. Sehen Sie nach, bevor Sie es noch \
        einmal senden.
        action.again: Noch einmal versuchen
        action.start: Zurück zur Startseite
        action.site: Zur Website
        action.other: Mit einem anderen Konto anmelden
        action.sign_out: Abmelden
        action.go_on: Weiter

        # Eine Anfrage, die abgelehnt wurde
        bad_request.title: Diese Anfrage war nicht zu verstehen
        bad_request.story: Ihr Browser hat etwas gesendet, das diese Website nicht annimmt. Es ist nichts \
        geschehen.
        bad_request.advice.1: Wenn Sie einem Link gefolgt sind oder die Adresse eingegeben haben: Prüfen Sie, ob \
        sie vollständig ist.
        bad_request.advice.2: Wenn es wieder geschieht, löschen Sie die Cookies dieser Website, oder nehmen Sie \
        einen anderen Browser.
        programs.title: Diese Adresse ist für Programme
        programs.story: Sie nimmt Anfragen mit einem Zugriffstoken an, das ein Browser nicht sendet.
        programs.advice.1: Wenn Sie eine Seite sehen wollten, prüfen Sie die Adresse.
        forbidden.title: Ihr Konto darf diese Seite nicht sehen
        forbidden.story: Sie sind angemeldet, aber Ihrem Konto fehlt das Recht dazu.
        forbidden.advice.1: Wenn Sie ein anderes Konto haben, melden Sie sich damit an.
        forbidden.advice.2: Wenn Sie Zugang haben sollten, fragen Sie die Betreiber dieser Website.
        not_allowed.title: Das ist nicht erlaubt
        not_allowed.story: Die Adresse gibt es, aber nicht für Sie, oder nicht auf diesem Weg.
        not_allowed.advice.1: Wenn Sie Zugang haben sollten, fragen Sie die Betreiber dieser Website.
        cross_site.title: Diese Anfrage kam von einer anderen Website
        cross_site.story: Eine andere Website oder ein alter Browser hat etwas in Ihrem Namen verlangt. Zu Ihrem \
        Schutz ist es nicht geschehen.
        cross_site.advice.1: Wenn Sie es selbst wollten, gehen Sie direkt zur Website und tun Sie es dort.
        not_found.title: Hier ist nichts
        not_found.story: Diese Adresse gibt es nicht, oder nicht mehr.
        not_found.advice.1: Prüfen Sie die Adresse, oder beginnen Sie auf der Startseite.
        not_found.advice_without_start.1: Prüfen Sie die Adresse.
        method.title: So kann man das nicht anfragen
        method.story: Die Adresse gibt es, aber nicht für diese Art von Anfrage.
        method.advice.1: Wenn Sie ein Formular gesendet haben, gehen Sie auf seine Seite zurück und senden Sie es \
        von dort.
        too_slow.title: Das hat zu lange gedauert
        too_slow.story: Ihre Verbindung war zu langsam, um alles rechtzeitig zu senden. Es ist nichts geschehen.
        too_slow.advice.1: Prüfen Sie Ihre Verbindung, dann versuchen Sie es noch einmal.
        too_large.title: Was Sie gesendet haben, ist zu groß
        too_large.story: So viel auf einmal nimmt diese Website nicht an. Es ist nichts geschehen.
        too_large.advice.1: Senden Sie eine kleinere Datei, oder mehrere nacheinander.
        long_address.title: Die Adresse ist zu lang
        long_address.story: Eine Adresse dieser Länge kann diese Website nicht lesen.
        long_address.advice.1: Beginnen Sie auf der Startseite und gehen Sie von dort weiter.
        long_address.advice_without_start.1: Öffnen Sie die Seite mit einer kürzeren Adresse, oder gehen Sie \
        zurück, woher Sie gekommen sind.
        cookies.title: Ihr Browser sendet zu viel
        cookies.story: In Ihrem Browser haben sich so viele Cookies dieser Website gesammelt, dass für die Anfrage \
        kein Platz mehr ist.
        cookies.advice.1: Löschen Sie die Cookies dieser Website, dann versuchen Sie es noch einmal. Vielleicht \
        müssen Sie sich neu anmelden.
        other_host.title: Diese Website hat eine andere Adresse
        other_host.story: Der Server ist hier, aber unter dem Namen, den Sie geöffnet haben, ist die Website nicht \
        zu finden.
        other_host.advice.1: Gehen Sie von hier aus weiter, und erneuern Sie Ihr Lesezeichen.
        other_host.advice_without_start.1: Prüfen Sie die Adresse, oder fragen Sie dort nach, woher Sie sie haben.
        too_many.title: Zu viele Anfragen
        too_many.story: Das wurde in kurzer Zeit zu oft angefragt.
        too_many.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal.
        circle.title: Diese Adresse führt im Kreis
        circle.story: Die Anfrage kam dorthin zurück, wo sie schon war. Sie haben nichts falsch gemacht.
        circle.advice.1: Sagen Sie es den Betreibern dieser Website, mit der Kennung unten.
        app_down.title: Die Anwendung antwortet nicht richtig
        app_down.story: Sie haben diese Website erreicht, aber was dahinter steht, konnte nicht antworten. Sie \
        haben nichts falsch gemacht.
        app_down.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal.
        app_down.advice.2: Wenn es so bleibt, sagen Sie es den Betreibern dieser Website, mit der Kennung unten.
        app_slow.title: Die Anwendung braucht zu lange
        app_slow.story: Sie haben diese Website erreicht, aber was dahinter steht, hat nicht rechtzeitig \
        geantwortet. Sie haben nichts falsch gemacht.
        app_slow.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal.
        app_slow.advice.2: Wenn es so bleibt, sagen Sie es den Betreibern dieser Website, mit der Kennung unten.
        busy.title: Im Augenblick ist zu viel zu tun
        busy.story: Es sind mehr Leute hier als sonst. Sie haben nichts falsch gemacht.
        busy.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal.
        check_down.title: Wir können gerade nicht prüfen, wer Sie sind
        check_down.story: Ein Dienst, auf den diese Seite angewiesen ist, antwortet im Augenblick nicht. Sie haben \
        nichts falsch gemacht.
        check_down.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal. Es geht nichts verloren.
        plain_http.title: Diese Website erreicht man mit https://
        plain_http.story: Die Adresse wurde mit http:// geöffnet; das kann jeder unterwegs lesen und ändern. Es \
        ist nichts geschehen.
        plain_http.advice.1: Gehen Sie von hier aus weiter, und erneuern Sie Ihr Lesezeichen.

        # Anmelden: auf dem Weg zum Anmeldedienst
        start_malformed.title: Dieser Link zum Anmelden geht nicht
        start_malformed.story: Die Adresse, die zum Anmelden geöffnet wurde, ist unvollständig oder hier nicht \
        erlaubt.
        start_malformed.advice.1: Öffnen Sie die Seite, die Sie sehen wollten, und melden Sie sich von dort an.
        start_malformed.advice.2: Wenn Sie von einem Lesezeichen oder aus einer Nachricht kamen, ist der Link \
        vielleicht veraltet.
        start_malformed.action: Anmelden
        loop.title: Das Anmelden beginnt immer wieder von vorn
        loop.story: Sie haben sich in einer Minute mehrmals angemeldet, und jedes Mal hat diese Website Ihren \
        Browser danach nicht wiedererkannt. Wir halten hier an, damit es sich nicht im Kreis dreht.
        loop.causes.1: Cookies: Ihr Browser sendet das Cookie nicht zurück, das die Anmeldung hält. Erlauben Sie \
        Cookies für diese Website, und schalten Sie Erweiterungen aus, die sie blockieren.
        loop.causes.2: Die Uhr: Datum oder Uhrzeit Ihres Geräts sind falsch. Lassen Sie sie automatisch stellen.
        loop.causes.3: Die Adresse: Die Seite wurde mit http:// statt https:// geöffnet, oder unter einem anderen \
        Namen als sonst. Geben Sie die gewohnte Adresse mit https:// davor ein.
        loop.causes.4: Wenn nichts davon passt, warten Sie eine Minute, versuchen Sie es noch einmal, und sagen \
        Sie es dann den Betreibern dieser Website.
        loop.action: Noch einmal versuchen
        server_down.title: Anmelden ist gerade nicht möglich
        server_down.story: Der Dienst, der prüft, wer Sie sind, antwortet im Augenblick nicht. Sie haben nichts \
        falsch gemacht.
        server_down.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal.
        server_down.advice.2: Wenn es so bleibt, sagen Sie es den Betreibern dieser Website.
        misconfigured.title: Das Anmelden funktioniert hier nicht
        misconfigured.story: Diese Website und der Dienst, der prüft, wer Sie sind, verstehen einander nicht. Sie \
        haben nichts falsch gemacht, und es geht wahrscheinlich nicht von selbst vorbei.
        misconfigured.advice.1: Sagen Sie es den Betreibern dieser Website, mit der Kennung unten: Sie führt zur \
        Ursache.
        session_too_large.title: Das Anmelden funktioniert hier nicht
        session_too_large.story: Sie waren angemeldet, aber was sich diese Website dazu merken muss, ist mehr, als \
        ein Browser behalten kann. Sie haben nichts falsch gemacht.
        session_too_large.advice.1: Sagen Sie es den Betreibern dieser Website, mit der Kennung unten: Sie führt \
        zur Ursache.

        # Anmelden: auf dem Rückweg
        not_trusted.title: Dieser Anmeldung ist nicht zu trauen
        not_trusted.story: Was zurückkam, ist nicht das, was diese Website von dem Dienst erwartet, der prüft, wer \
        Sie sind. Es wurde nicht benutzt, und Sie sind nicht angemeldet.
        not_trusted.advice.1: Beginnen Sie von hier aus neu. Folgen Sie dem Link, der Sie hierher geführt hat, \
        nicht noch einmal, wenn ihn jemand geschickt hat.
        not_trusted.advice.2: Wenn es wieder geschieht, sagen Sie es den Betreibern dieser Website.
        not_trusted.action: Neu anmelden
        not_verified.title: Diese Anmeldung ließ sich nicht prüfen
        not_verified.story: Der Nachweis, wer Sie sind, hat die Prüfungen dieser Website nicht bestanden. Er wurde \
        nicht benutzt, und Sie sind nicht angemeldet.
        not_verified.advice.1: Versuchen Sie es noch einmal.
        not_verified.advice.2: Wenn es wieder geschieht, sagen Sie es den Betreibern dieser Website: Vielleicht \
        geht auf einer Seite eine Uhr falsch.
        not_verified.action: Neu anmelden
        unknown.title: Wir konnten diese Anmeldung Ihrem Browser nicht zuordnen
        unknown.story: Sie kamen vom Anmelden zurück, aber dieser Browser hat das Cookie nicht mitgebracht, das am \
        Anfang gesetzt wurde. So können wir nicht sicher sein, dass Sie es waren, der sie begonnen hat.
        unknown.causes.1: Cookies: Sie sind blockiert oder wurden inzwischen gelöscht. Erlauben Sie Cookies für \
        diese Website.
        unknown.causes.2: Der Browser: Sie haben in einem anderen begonnen, in einem privaten Fenster oder in \
        einer App. Bleiben Sie in einem Browser, bis Sie zurück sind.
        unknown.causes.3: Die Adresse: Die Seite wurde mit http:// statt https:// geöffnet. Cookies zum Anmelden \
        reisen nur über https://.
        unknown.causes.4: Die Anmeldeseite kam aus einem Lesezeichen oder war lange offen. Beginnen Sie auf der \
        Seite, die Sie sehen wollen.
        unknown.action: Neu anmelden
        expired.title: Das Anmelden hat zu lange gedauert
        expired.story: Zu Ihrer Sicherheit muss eine Anmeldung in zehn Minuten beendet sein. Sie sind noch nicht \
        angemeldet.
        expired.advice.1: Beginnen Sie neu; beim zweiten Mal geht es meist schnell.
        expired.advice.2: Wenn Sie schnell waren, geht vielleicht die Uhr Ihres Geräts oder des Servers falsch.
        expired.action: Neu anmelden
        used.title: Diese Anmeldung wurde schon benutzt
        used.story: Jede Anmeldung gilt einmal. Vielleicht sind Sie im Browser zurückgegangen oder haben eine \
        Seite zweimal geladen.
        used.advice.1: Wenn Sie inzwischen angemeldet sind, öffnen Sie einfach die Seite, die Sie sehen wollen.
        used.advice.2: Sonst melden Sie sich noch einmal an.
        used.action: Weiter
        denied.title: Sie wurden nicht angemeldet
        denied.story: Das Anmelden wurde abgebrochen, oder Ihr Konto darf diese Website nicht benutzen.
        denied.advice.1: Wenn Sie aus Versehen abgebrochen haben, versuchen Sie es noch einmal.
        denied.advice.2: Wenn Sie Zugang haben sollten, fragen Sie die Betreiber dieser Website, oder nehmen Sie \
        ein anderes Konto.
        denied.action: Neu anmelden
        response_error.title: Das Anmelden ist nicht gelungen
        response_error.story: Der Dienst, der prüft, wer Sie sind, hat ein Problem gemeldet. Sie sind nicht \
        angemeldet.
        response_error.advice.1: Versuchen Sie es noch einmal.
        response_error.advice.2: Wenn es wieder geschieht, nennen Sie den Betreibern dieser Website die Kennung \
        unten.
        response_error.action: Neu anmelden
        code_refused.title: Diese Anmeldung gilt nicht mehr
        code_refused.story: Sie wurde nicht rechtzeitig beendet oder schon einmal benutzt. Sie sind nicht \
        angemeldet.
        code_refused.advice.1: Beginnen Sie neu; beim zweiten Mal geht es meist schnell.
        code_refused.action: Neu anmelden
        scope_missing.title: Es fehlt eine Erlaubnis
        scope_missing.story: Sie haben sich angemeldet, aber dieser Website wurde nicht alles erlaubt, was sie für \
        Sie braucht.
        scope_missing.advice.1: Melden Sie sich noch einmal an, und stimmen Sie allem zu, wonach gefragt wird.
        scope_missing.advice.2: Wenn Sie nicht gefragt wurden, fehlt Ihrem Konto vielleicht ein Recht: Fragen Sie \
        die Betreiber dieser Website.
        scope_missing.action: Neu anmelden
        insufficient.title: Diese Seite verlangt eine stärkere Anmeldung
        insufficient.story: Sie müssen sich dafür vor Kürzerem oder auf sicherere Weise angemeldet haben, zum \
        Beispiel mit einem zweiten Faktor.
        insufficient.advice.1: Melden Sie sich noch einmal an, und benutzen Sie Ihren zweiten Faktor, wenn danach \
        gefragt wird.
        insufficient.advice.2: Wenn Ihr Konto noch keinen hat, richten Sie ihn zuerst ein.
        insufficient.action: Neu anmelden

        # Sitzungen und Abmelden
        session_down.title: Wir können Ihre Anmeldung gerade nicht prüfen
        session_down.story: Sie sind noch angemeldet, aber ein Dienst, auf den diese Seite angewiesen ist, \
        antwortet im Augenblick nicht.
        session_down.advice.1: Warten Sie eine Minute, dann versuchen Sie es noch einmal. Es geht nichts verloren: \
        Sie müssen sich nicht neu anmelden.
        still_signed_in.title: Sie sind noch angemeldet
        still_signed_in.story: Die Abmeldung hat nicht geklappt, weil ein Dienst, auf den diese Seite angewiesen \
        ist, im Augenblick nicht antwortet.
        still_signed_in.advice.1: Warten Sie eine Minute, dann melden Sie sich noch einmal ab. Überlassen Sie das \
        Gerät bis dahin niemandem.
        still_signed_in.action: Noch einmal versuchen
        missing.title: Sie sind nicht angemeldet
        missing.story: Diese Seite ist für Leute, die angemeldet sind.
        missing.action: Anmelden
        logout_token.title: Diese Nachricht wurde nicht angenommen
        logout_token.story: Nur der Dienst, der prüft, wer Sie sind, darf Nachrichten an diese Adresse senden.
        signing_in.title: Sie werden angemeldet …
        signing_in.no_script: Bitte gehen Sie von Hand weiter: Ihr Browser führt kein JavaScript aus.
        signing_in.no_form: Ohne JavaScript kann das, was Sie eben gesendet haben, während des Anmeldens nicht \
        aufgehoben werden.
        sending.title: Einen Augenblick bitte
        sending.story: Sie sind angemeldet. Was Sie vorher gesendet haben, wird jetzt gesendet.
        sending.lost: Sie sind angemeldet, aber was Sie vorher gesendet haben, konnte nicht aufgehoben werden. \
        Bitte gehen Sie zum Formular zurück und senden Sie es noch einmal.
        sending.no_script: Bitte gehen Sie zum Formular zurück und senden Sie es noch einmal: Ohne JavaScript kann \
        es nicht aufgehoben werden.
        sign_out.title: Möchten Sie sich abmelden?
        sign_out.story: Noch ist nichts geschehen. Wenn Sie das nicht wollten, bleiben Sie angemeldet.
        sign_out.stay: Angemeldet bleiben
        signing_out.title: Sie werden abgemeldet …
        signing_out.story: Sie haben diese Website verlassen. Der Dienst, bei dem Sie angemeldet sind, erfährt es \
        jetzt.
        signed_out.title: Sie sind abgemeldet
        signed_out.story: Sie haben diese Website verlassen. Wenn auch andere dieses Gerät benutzen, schließen Sie \
        alle Fenster des Browsers.

        """
}
